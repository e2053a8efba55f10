#include <cursorwire/model_cache.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acp/abilities.h"
#include "acp/action_handler.h"
#include "acp/agent.h"
#include "acp/editor.h"
#include "acp/editor_pipes.h"
#include "acp/editor_text.h"
#include "acp/open_calls.h"
#include "acp/session.h"
#include "acp/session_folder.h"
#include "acp/session_servers.h"
#include "acp/tool_call.h"
#include "acp/turn.h"
#include "acp/unnamed_calls.h"
#include "support/patience.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursor_acp {
namespace {

using cursorwire::ToolCallInfo;
using cursorwire::test::StatusIs;
using cursorwire::test::WaitFor;

TEST(AcpAbilities, WhatIsMissingNullOrOddIsNotOffered) {
  const Abilities none;
  EXPECT_EQ(ReadAbilities(Json()), none);
  EXPECT_EQ(ReadAbilities({{"fs", nullptr}, {"terminal", nullptr}}), none);
  EXPECT_EQ(ReadAbilities({{"fs", 1}, {"terminal", "yes"}, {"session", {{"notices", true}}}}),
            none);
  EXPECT_EQ(ReadAbilities({{"fs", {{"readTextFile", true}, {"writeTextFile", true}}},
                           {"terminal", true},
                           {"session", {{"notices", Json::object()}}},
                           {"elicitation", {{"form", Json::object()}}}}),
            (Abilities{.read_text_file = true,
                       .write_text_file = true,
                       .terminal = true,
                       .notices = true,
                       .forms = true}));
}

// ServeEditor() between two pipes, without an editor.
class AcpPipes : public ::testing::Test {
 protected:
  AcpPipes() {
    EXPECT_EQ(::pipe2(input_, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(output_, O_CLOEXEC), 0);
  }
  ~AcpPipes() override {
    for (const int fd : {input_[0], input_[1], output_[0], output_[1]}) ::close(fd);
  }

  // Returns once ServeEditor() has; `leave` is what the editor does.
  void Serve(const std::function<void()>& leave) {
    Agent agent(editor_, {.state_folder = folder_.path()});
    std::promise<void> end;
    std::thread serving([&] {
      EXPECT_TRUE(ServeEditor(input_[0], output_[1], editor_, agent, stop_.get_token(), [this] {
                    ++ends_;
                  }).ok());
      end.set_value();
    });
    leave();
    EXPECT_EQ(end.get_future().wait_for(cursorwire::test::kPatience), std::future_status::ready);
    stop_.request_stop();
    serving.join();
    EXPECT_EQ(ends_, 1);
  }
  // More than an editor that reads nothing may leave.
  void Fill() {
    for (int i = 0; i < 5; ++i) editor_.Post("x", {{"text", std::string(size_t{1} << 20, 'x')}});
  }
  static void CloseEnd(int& fd) { ::close(std::exchange(fd, -1)); }

  cursorwire::test::ScratchFolder folder_;
  Editor editor_;
  std::stop_source stop_;
  std::atomic<int> ends_ = 0;
  int input_[2] = {-1, -1};
  int output_[2] = {-1, -1};
};

TEST_F(AcpPipes, AnEndOfTheInputIsNoticedWithoutRoom) {
  Fill();
  Serve([this] { CloseEnd(input_[1]); });
}

TEST_F(AcpPipes, AnOutputThatNobodyReadsIsNoticedWithoutAWrite) {
  Serve([this] { CloseEnd(output_[0]); });
}

TEST_F(AcpPipes, AStopWakesThoseWhoWaitForRoom) {
  Fill();
  Serve([this] {
    auto told = std::async(std::launch::async, [this] { return editor_.Notify("x", {}); });
    stop_.request_stop();
    EXPECT_FALSE(told.get().ok());
  });
}

TEST(AcpToolCall, EveryKindHasItsWord) {
  const std::pair<const char*, const char*> rows[] = {
      {"read", "read"},       {"ls", "read"},           {"grep", "search"},
      {"glob", "search"},     {"sem_search", "search"}, {"shell", "execute"},
      {"edit", "edit"},       {"delete", "delete"},     {"web_search", "fetch"},
      {"web_fetch", "fetch"}, {"fetch", "fetch"},       {"switch_mode", "switch_mode"},
      {"reflect", "think"},   {"create_plan", "think"}, {"mcp", "other"},
      {"", "other"}};
  for (const auto& [kind, word] : rows) EXPECT_EQ(ToolKindOf(kind), word) << kind;
}

TEST(AcpToolCall, TitlesAreOneBoundedLine) {
  const Json members =
      ToolCallMembers({.call_id = "c",
                       .kind = "shell",
                       .arguments_json = Json{{"command", "a\nb" + std::string(1000, 'x')}}.dump()},
                      "/w");
  const auto title = members["title"].get<std::string>();
  EXPECT_TRUE(title.starts_with("shell a b"));
  EXPECT_LE(title.size(), kMaxToolTitleBytes + 3);
}

TEST(AcpToolCall, EndsSayWhetherItWorked) {
  const struct {
    const char* name;
    const char* result;
    const char* status;
    const char* text;  // of the content; nullptr: there is none
  } cases[] = {
      {"no result", "", "failed", nullptr},
      {"success", R"({"success":{}})", "completed", nullptr},
      {"an error of a tool", R"({"success":{"is_error":true,"content":[{"text":{"text":"no"}}]}})",
       "failed", "no"},
      {"exit code", R"({"success":{"exit_code":1,"stdout":"o","stderr":"e"}})", "failed", "o\ne"},
      {"failure", R"({"failure":{"exit_code":2,"stderr":"e"}})", "failed", "e"},
      {"rejected", R"({"rejected":{"reason":"not now"}})", "failed", "not now"},
      {"another ending", R"({"file_not_found":{}})", "failed", "file_not_found"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Json end = ToolCallEnd({.call_id = "c", .kind = "shell", .result_json = c.result}, "/w");
    EXPECT_EQ(end["status"], c.status);
    EXPECT_EQ(end.contains("content"), c.text != nullptr);
    if (c.text != nullptr) {
      EXPECT_EQ(end["content"][0]["content"]["text"], c.text);
    }
  }
}

TEST(AcpToolCall, EditsHaveADiff) {
  const ToolCallInfo call{
      .call_id = "c",
      .kind = "edit",
      .arguments_json = R"({"path":"a.cc"})",
      .result_json =
          R"({"success":{"before_full_file_content":"a","after_full_file_content":"b"}})"};
  EXPECT_EQ(ToolCallEnd(call, "/w")["content"][0],
            Json({{"type", "diff"}, {"path", "/w/a.cc"}, {"oldText", "a"}, {"newText", "b"}}));
}

TEST(AcpToolCall, LargeDiffsAreText) {
  const std::string large(kMaxShownToolBytes + 1, 'x');
  const Json result = {{"success",
                        {{"before_full_file_content", "old"},
                         {"after_full_file_content", large},
                         {"diff_string", "only a part changed"}}}};
  const Json end = ToolCallEnd({.call_id = "c",
                                .kind = "edit",
                                .arguments_json = R"({"path":"a.cc"})",
                                .result_json = result.dump()},
                               "/w");
  EXPECT_EQ(end["content"][0]["content"]["text"], "only a part changed");
}

TEST(AcpToolCall, ChangesWhoseTextsWereCutAreNoDiff) {
  const ToolCallInfo call{
      .call_id = "c",
      .kind = "edit",
      .arguments_json = R"({"path":"a.cc"})",
      .result_json = R"({"success":{"before_full_file_content":"a","after_full_file_content":"b"},)"
                     R"("truncated":true,"bytes":2000000})"};
  const Json end = ToolCallEnd(call, "/w");
  EXPECT_EQ(end["status"], "completed");
  EXPECT_EQ(end["content"][0]["content"]["text"], "The change is too large to be shown.");
}

TEST(AcpToolCall, ListsOfThingsToDoArePlans) {
  EXPECT_TRUE(PlanOf({.kind = "read", .arguments_json = R"({"todos":[]})"}).is_null());
  const Json plan = PlanOf({.kind = "update_todos", .arguments_json = R"({"todos":[
      {"content":"a","status":"TODO_STATUS_COMPLETED"},{"content":"b","status":2},
      {"content":"c","status":"TODO_STATUS_CANCELLED"},{"content":"d"}]})"});
  ASSERT_EQ(plan.size(), 3) << "what is cancelled is left out";
  EXPECT_EQ(plan[0], Json({{"content", "a"}, {"priority", "medium"}, {"status", "completed"}}));
  EXPECT_EQ(plan[1]["status"], "in_progress");
  EXPECT_EQ(plan[2]["status"], "pending");
}

TEST(AcpToolCall, AMergedListIsToldOnceItIsWhole) {
  ToolCallInfo call{.kind = "update_todos",
                    .arguments_json = R"({"merge":true,"todos":[{"content":"a"}]})"};
  EXPECT_TRUE(PlanOf(call).is_null());
  call.result_json = R"({"success":{"todos":[{"content":"a"},{"content":"b"}]}})";
  EXPECT_EQ(PlanOf(call).size(), 2);
}

TEST(AcpEditorText, RangesAreLines) {
  const struct {
    std::optional<int32_t> offset;
    std::optional<uint32_t> limit;
    const char* content;
  } cases[] = {{std::nullopt, std::nullopt, "1\n2\n3"},
               {2, std::nullopt, "2\n3"},
               {1, 2, "1\n2\n"},
               {3, 9, "3"},
               {4, 1, ""},
               {-1, std::nullopt, "3"},
               {-9, 1, "1\n"},
               {std::nullopt, 1, "1\n"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.content);
    const auto output = ReadOfText({.path = "p", .offset = c.offset, .limit = c.limit}, "1\n2\n3");
    EXPECT_EQ(output.content, c.content);
    EXPECT_EQ(output.total_lines, 3);
    EXPECT_FALSE(output.truncated);
  }
  const auto cut = ReadOfText({.path = "p"}, std::string(kMaxEditorReadBytes + 1, 'x'));
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.content.size(), kMaxEditorReadBytes);
}

// Fills the output of an editor that does not read.
void Fill(Editor& editor) {
  const Json params = {{"text", std::string(1024 * 1024, 'x')}};
  for (size_t bytes = 0; bytes < kMaxWaitingBytes; bytes += 1024 * 1024) {
    ASSERT_TRUE(editor.Notify("n", params).ok());
  }
}

TEST(AcpEditor, WhoeverHasMoreToSayWaitsForAnEditorThatDoesNotRead) {
  Editor editor;
  Fill(editor);
  std::stop_source stop;
  auto notified = std::async(std::launch::async,
                             [&] { return editor.Notify("n", Json::object(), stop.get_token()); });
  EXPECT_EQ(notified.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  stop.request_stop();
  EXPECT_THAT(WaitFor(notified), StatusIs(absl::StatusCode::kCancelled));
  auto later = std::async(std::launch::async, [&] { return editor.Notify("n", Json::object()); });
  EXPECT_GT(editor.TakeOutput().size(), kMaxWaitingBytes);
  std::thread reader([&editor] { editor.TakeOutput(); });  // the bytes before are written
  EXPECT_TRUE(WaitFor(later).ok());
  reader.join();
}

TEST(AcpEditor, WhatIsNoLongerWantedIsNotAskedFor) {
  Editor editor;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(
      editor.Call("m", Json::object(), cursorwire::test::kPatience, stop.get_token()).status(),
      StatusIs(absl::StatusCode::kCancelled));
  ASSERT_TRUE(editor.Notify("n", Json::object()).ok());
  EXPECT_THAT(editor.TakeOutput(), ::testing::Not(::testing::HasSubstr(R"("method":"m")")));
}

TEST(AcpEditor, WhoseAnswerNobodyWaitsForIsNotAskedFor) {
  Editor editor;
  editor.StopWaiting();
  EXPECT_THAT(editor.Call("m", Json::object(), cursorwire::test::kPatience, {}).status(),
              StatusIs(absl::StatusCode::kCancelled));
  ASSERT_TRUE(editor.Notify("n", Json::object()).ok());
  EXPECT_THAT(editor.TakeOutput(), ::testing::Not(::testing::HasSubstr(R"("method":"m")")));
}

TEST(AcpEditor, TheEndOfTheProcessEndsAllWaiting) {
  Editor editor;
  auto answer = std::async(std::launch::async, [&] {
    return editor.Call("m", Json::object(), cursorwire::test::kPatience, {}).status();
  });
  EXPECT_FALSE(editor.TakeOutput().empty());
  editor.StopWaiting();
  EXPECT_THAT(WaitFor(answer), StatusIs(absl::StatusCode::kCancelled));
  editor.Close();
  EXPECT_THAT(editor.Notify("n", Json::object()), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(AcpEditor, RequestsThatNobodyWaitsForLeaveNoRoomTaken) {
  Editor editor;
  for (int i = 0; i < 2000; ++i) editor.Post("terminal/release", Json::object());
  EXPECT_THAT(editor.Call("m", Json::object(), std::chrono::milliseconds(1), {}).status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(AcpEditor, LateResultsAreToldOnceAndOnlyTheLastOnesAreWaitedFor) {
  Editor editor;
  std::vector<std::string> late;
  const size_t calls = kMaxLateAnswers + 2;
  for (size_t i = 1; i <= calls; ++i) {
    EXPECT_THAT(editor
                    .Call("m", Json::object(), std::chrono::milliseconds(0), {},
                          [&editor, &late, i](const Json& result) {
                            editor.Post("end", result);  // without a deadlock
                            late.push_back(std::to_string(i) + result.dump());
                          })
                    .status(),
                StatusIs(absl::StatusCode::kDeadlineExceeded));
  }
  const std::string output = editor.TakeOutput();
  EXPECT_THAT(output,
              ::testing::HasSubstr(R"("method":"$/cancel_request","params":{"requestId":1})"));
  const auto receive = [&editor](size_t id, const std::string& outcome) {
    editor.Receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + "," + outcome + "}\n");
    EXPECT_FALSE(editor.Next());
  };
  receive(1, R"("result":{})");
  receive(calls, R"("error":{"code":-32800,"message":"cancelled"})");
  receive(3, R"("result":{"a":1})");
  receive(3, R"("result":{"a":1})");
  EXPECT_EQ(late, std::vector<std::string>{R"(3{"a":1})"});
}

// The disk and the editor must read a path in the same way.
TEST(AcpActionHandler, AsksTheEditorForTheFileThatThePathLeadsTo) {
  const cursorwire::test::ScratchFolder scratch;
  const std::string& root = scratch.path();
  scratch.Write("a.txt", "a\n");
  scratch.MakeLink("link.txt", "a.txt");
  scratch.MakeFolder("sub");
  scratch.MakeLink("out", "/etc");
  // As words it is out/passwd; as a URI, in which "%2f" is a slash, a file below a folder.
  std::string below = root + "/sub/x";
  for (size_t slash = 0; (slash = below.find('/', slash)) != below.npos;) {
    below.replace(slash, 1, "%2f");
  }
  const struct {
    std::string path;
    std::string file;
  } cases[] = {{"a.txt", root + "/a.txt"},
               {"sub/../a.txt", root + "/a.txt"},
               {"file://" + root + "/a%2etxt", root + "/a.txt"},
               {"link.txt", root + "/a.txt"},
               {"sub/new.txt", root + "/sub/new.txt"},
               {"file:///../" + below + "/../out/passwd", root + "/sub/out/passwd"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.path);
    Editor editor;
    const auto handler = ActionHandler::Create(
        editor, {.session_id = "s", .folder = root, .abilities = {.read_text_file = true}});
    ASSERT_TRUE(handler.ok()) << handler.status();
    auto read =
        std::async(std::launch::async, [&] { return (*handler)->Read({.path = c.path}, {}); });
    std::string output;
    while (output.find('\n') == output.npos) output += editor.TakeOutput();
    EXPECT_EQ(Json::parse(output)["params"]["path"], c.file);
    editor.Receive(R"({"jsonrpc":"2.0","id":1,"result":{"content":"unsaved"}})"
                   "\n");
    EXPECT_FALSE(editor.Next());
    const auto output_of = WaitFor(read);
    ASSERT_TRUE(output_of.ok()) << output_of.status();
    EXPECT_EQ(output_of->content, "unsaved");
  }
}

TEST(AcpActionHandler, TextOfTheDiskIsNotHiddenByAnEditorWithoutIt) {
  const cursorwire::test::ScratchFolder scratch;
  scratch.Write("a.txt", "on disk\n");
  for (const char* answer :
       {R"("result":{"content":""})", R"("error":{"code":-32002,"message":"not found"})"}) {
    SCOPED_TRACE(answer);
    Editor editor;
    const auto handler = ActionHandler::Create(
        editor,
        {.session_id = "s", .folder = scratch.path(), .abilities = {.read_text_file = true}});
    ASSERT_TRUE(handler.ok()) << handler.status();
    auto read = std::async(std::launch::async, [&] {
      return (*handler)->Read({.path = "file://" + scratch.path() + "/a.txt"}, {});
    });
    std::string output;
    while (output.find('\n') == output.npos) output += editor.TakeOutput();
    editor.Receive(R"({"jsonrpc":"2.0","id":1,)" + std::string(answer) + "}\n");
    EXPECT_FALSE(editor.Next());
    const auto output_of = WaitFor(read);
    ASSERT_TRUE(output_of.ok()) << output_of.status();
    EXPECT_EQ(output_of->content, "on disk\n");
  }
}

TEST(AcpActionHandler, RefusesAllWithoutAFolder) {
  Editor editor;
  const auto handler = ActionHandler::Create(
      editor, {.session_id = "s", .folder = "/nowhere", .allow = {.read = false, .write = true}});
  ASSERT_TRUE(handler.ok()) << handler.status();
  for (const cursorwire::ExecArgs& args :
       {cursorwire::ExecArgs(cursorwire::ReadArgs{}), cursorwire::ExecArgs(cursorwire::LsArgs{}),
        cursorwire::ExecArgs(cursorwire::WriteArgs{}),
        cursorwire::ExecArgs(cursorwire::ShellArgs{.command = "true"})}) {
    const auto refused = CallExecHandler(**handler, args, {});
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kPermissionDenied);
    EXPECT_THAT(std::string(refused.status().message()), ::testing::HasSubstr("look into"));
  }
}

TEST(AcpActionHandler, ATurnWaitsForTheSwitchOfItsMode) {
  const cursorwire::test::ScratchFolder scratch;
  Editor editor;
  std::promise<void> switches;
  std::promise<void> goes_on;
  const auto handler = ActionHandler::Create(editor, {.session_id = "s",
                                                      .folder = scratch.path(),
                                                      .allow = {.ask = true},
                                                      .switch_mode = [&](const std::string&) {
                                                        switches.set_value();
                                                        goes_on.get_future().wait();
                                                        return true;
                                                      }});
  ASSERT_TRUE(handler.ok()) << handler.status();
  const auto turn = std::make_shared<Turn>(
      editor, TurnUpdates::Options{.session_id = "s", .folder = scratch.path()});
  (*handler)->SetTurn(turn);
  auto answer = std::async(std::launch::async,
                           [&] { return (*handler)->SwitchMode({.target_mode = "plan"}, {}); });
  std::string output;
  while (output.find("session/request_permission") == output.npos) output += editor.TakeOutput();
  editor.Receive(
      R"({"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}})"
      "\n");
  EXPECT_FALSE(editor.Next());
  cursorwire::test::WaitFor(switches.get_future());
  EXPECT_FALSE(turn->AwaitActions(std::chrono::milliseconds(0)));
  goes_on.set_value();
  EXPECT_TRUE(WaitFor(answer).ok());
  EXPECT_TRUE(turn->AwaitActions(std::chrono::milliseconds(0)));
}

// A server may change what a tool does, and keep its name.
TEST(AcpActionHandler, AlwaysForAToolEndsWithItsDefinition) {
  const cursorwire::test::ScratchFolder scratch;
  Editor editor;
  const auto handler = ActionHandler::Create(
      editor, {.session_id = "s", .folder = scratch.path(), .allow = {.ask = true}});
  ASSERT_TRUE(handler.ok()) << handler.status();
  (*handler)->SetTurn(std::make_shared<Turn>(
      editor, TurnUpdates::Options{.session_id = "s", .folder = scratch.path()}));
  const cursorwire::mcp::CallPolicy policy = (*handler)->CallPolicyOfServers();
  const cursorwire::mcp::ServerCall call{.server = "s",
                                         .tool = "t",
                                         .arguments_json = "{}",
                                         .description = "Looks up a word",
                                         .input_schema = R"({"type":"object"})"};
  int questions = 0;
  // The title of the question, which is answered with "always".
  const auto ask = [&](const cursorwire::mcp::ServerCall& about) -> Json {
    auto answer = std::async(std::launch::async, [&] { return policy(about, {}); });
    std::string output;
    size_t start = output.npos;
    while (start == output.npos || output.find('\n', start) == output.npos) {
      if (answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        ADD_FAILURE() << "nobody was asked";
        return Json();
      }
      output += editor.TakeOutput();
      start = output.find(R"({"id")");
    }
    const Json question = Json::parse(output.substr(start, output.find('\n', start) - start));
    editor.Receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(++questions) +
                   R"(,"result":{"outcome":{"outcome":"selected","optionId":"allow-always"}}})"
                   "\n");
    EXPECT_FALSE(editor.Next());
    EXPECT_TRUE(WaitFor(answer).ok());
    return question["params"]["toolCall"];
  };
  const Json first = ask(call);
  EXPECT_EQ(first["title"], "s: t");
  EXPECT_THAT(first["content"].back().dump(), ::testing::HasSubstr("Looks up a word"));
  EXPECT_TRUE(policy(call, {}).ok()) << "it is always allowed";
  cursorwire::mcp::ServerCall changed = call;
  changed.description = "Sends all files";
  EXPECT_EQ(ask(changed)["title"], "(changed) s: t");
  changed.input_schema = R"({"type":"object","properties":{}})";
  EXPECT_THAT(ask(changed)["content"].dump(), ::testing::HasSubstr("has changed this tool"));
  changed.hints = {"destructive"};
  EXPECT_THAT(ask(changed)["content"].back().dump(), ::testing::HasSubstr("destructive"));
}

TEST(AcpOpenCalls, AnActionBelongsToTheCallThatItNames) {
  OpenCalls calls;
  calls.OnStarted("a");
  calls.OnShown("a");
  EXPECT_EQ(calls.AwaitShown("a", {}), "a");
  EXPECT_EQ(calls.AwaitShown("b", {}), "") << "nobody waits for a call that has not come";
  EXPECT_EQ(calls.AwaitShown("", {}), "a") << "the only one";
  calls.OnStarted("b");
  calls.OnShown("b");
  EXPECT_EQ(calls.AwaitShown("b", {}), "b");
  EXPECT_EQ(calls.AwaitShown("", {}), "") << "of several nobody knows which";
  calls.OnCompleted("b");
  EXPECT_EQ(calls.AwaitShown("b", {}), "");
}

TEST(AcpOpenCalls, WaitsUntilTheEditorKnowsTheCall) {
  OpenCalls calls;
  calls.OnStarted("a");
  auto waiting = std::async(std::launch::async, [&calls] { return calls.AwaitShown("a", {}); });
  std::stop_source stop;
  auto stopped = std::async(std::launch::async,
                            [&calls, &stop] { return calls.AwaitShown("a", stop.get_token()); });
  stop.request_stop();
  EXPECT_EQ(WaitFor(stopped), "");
  calls.OnShown("a");
  EXPECT_EQ(WaitFor(waiting), "a");
  calls.OnStarted("b");
  auto ended = std::async(std::launch::async, [&calls] { return calls.AwaitShown("b", {}); });
  calls.End();
  EXPECT_EQ(WaitFor(ended), "");
}

TEST(AcpUnnamedCalls, MessagesOfOneCallHaveOneId) {
  using enum UnnamedCalls::Step;
  UnnamedCalls calls;
  const std::string read = calls.IdOf(kPartial, "read");
  EXPECT_EQ(calls.IdOf(kPartial, "read"), read);
  EXPECT_EQ(calls.IdOf(kStarted, "read"), read);
  const std::string shell = calls.IdOf(kStarted, "shell");
  EXPECT_NE(shell, read);
  const std::string other = calls.IdOf(kPartial, "read");
  EXPECT_NE(other, read) << "the first was started";
  EXPECT_EQ(calls.IdOf(kCompleted, "shell"), shell);
  EXPECT_EQ(calls.IdOf(kCompleted, "read"), read);
  EXPECT_EQ(calls.IdOf(kCompleted, ""), other) << "a result without a kind";
  EXPECT_NE(calls.IdOf(kCompleted, "read"), other) << "one of which nothing was told before";
}

TEST(AcpSessionServers, WhatAProcessOrARequestCannotHaveIsRefused) {
  const std::string zero("a\0b", 3);
  const auto pair = [](const std::string& name, const std::string& value) {
    return Json::array({{{"name", name}, {"value", value}}});
  };
  const auto command = [](const char* member, const Json& value) {
    Json server = {{"name", "s"}, {"command", "c"}};
    server[member] = value;
    return server;
  };
  const auto url = [](const char* member, const Json& value) {
    Json server = {{"type", "http"}, {"name", "s"}, {"url", "http://a/"}};
    server[member] = value;
    return server;
  };
  const struct {
    Json server;
    const char* message;
  } cases[] = {{command("name", ""), "name must"},
               {command("name", "a\nb"), "name must"},
               {command("name", std::string(kMaxSessionServerNameBytes + 1, 'a')), "name must"},
               {command("command", ""), "command is empty"},
               {command("command", zero), "command is empty or has a NUL"},
               {command("args", {"x", zero}), "args has a member with a NUL"},
               {command("env", pair("", "x")), "env has a member whose"},
               {command("env", pair("A=B", "x")), "env has a member whose"},
               {command("env", pair("A", zero)), "env has a member whose"},
               {url("url", ""), "url must begin"},
               {url("url", "file:///etc/passwd"), "url must begin"},
               {url("url", "http://a/\r\nX: y"), "url has a control character"},
               {url("headers", pair("X Y", "z")), "headers has a member whose"},
               {url("headers", pair("X:", "z")), "headers has a member whose"},
               {url("headers", pair("X", "y\r\nZ: z")), "headers has a member whose"},
               {url("headers", pair("X", zero)), "headers has a member whose"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(WriteJson(c.server));
    EXPECT_THAT(ReadSessionServers(Json::array({c.server}), "/w"),
                StatusIs(absl::StatusCode::kInvalidArgument, ::testing::HasSubstr(c.message)));
  }
  const auto both = ReadSessionServers(
      Json::array({command("env", pair("A", "b=c\n")), url("name", "other")}), "/w");
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ((*both)[0].env.at("A"), "b=c\n");
  EXPECT_EQ((*both)[1].url, "http://a/");
}

TEST(AcpSession, OneThatHasEndedIsNotWrittenAgain) {
  const cursorwire::test::ScratchFolder scratch;
  const SessionFolder folder(scratch.At("s"));
  ASSERT_TRUE(folder.Prepare().ok());
  Editor editor;
  cursorwire::ModelCache models;
  const AgentParts parts{
      .connect =
          [](auto actions, auto queries) {
            return cursorwire::Client::Create({.token = "any",
                                               .exec_handler = std::move(actions),
                                               .query_handler = std::move(queries)});
          },
      .log = [](const std::string&) {}};
  const std::string id = folder.NewId();
  const auto session =
      Session::Open({.editor = editor, .parts = parts, .folder = folder, .models = models}, {},
                    {.id = id, .folder = scratch.path()}, {}, Session::Start::kNew);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_TRUE((*session)->SetMode("plan").ok());
  (*session)->End();
  ASSERT_TRUE(folder.Delete(id).ok());
  EXPECT_THAT((*session)->SetMode("ask"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT((*session)->SetConfigOption("mode", "ask").status(),
              StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(folder.Read(id), StatusIs(absl::StatusCode::kNotFound));
}

TEST(AcpSessionFolder, ATimeThatCannotBeIsNone) {
  const cursorwire::test::ScratchFolder scratch;
  const SessionFolder folder(scratch.path());
  const std::pair<const char*, int64_t> rows[] = {{"1000", 1000},
                                                  {"253402300799999", 253402300799999},
                                                  {"253402300800000", 0},
                                                  {"9223372036854775807", 0},
                                                  {"18446744073709551615", 0},
                                                  {"-9223372036854775808", 0},
                                                  {"-1", 0},
                                                  {"1e18", 0},
                                                  {"\"1000\"", 0},
                                                  {"null", 0}};
  for (const auto& [text, milliseconds] : rows) {
    SCOPED_TRACE(text);
    const std::string id = folder.NewId();
    scratch.Write(id + ".json",
                  std::string(R"({"folder":"/w","mode":"agent","updated_ms":)") + text + "}");
    const absl::StatusOr<SessionRecord> record = folder.Read(id);
    ASSERT_TRUE(record.ok());
    EXPECT_EQ(record->updated_ms, milliseconds);
  }
  const std::vector<SessionRecord> list = folder.List();
  ASSERT_EQ(list.size(), std::size(rows));
  EXPECT_EQ(UpdatedAt(list[0]), "9999-12-31T23:59:59Z");
}

TEST(AcpSessionFolder, DamagedRecordsAreLeftOut) {
  const cursorwire::test::ScratchFolder scratch;
  const SessionFolder folder(scratch.At("s"));
  ASSERT_TRUE(folder.Prepare().ok());
  const std::string id = folder.NewId();
  const SessionRecord record{
      .id = id,
      .folder = "/w",
      .title = "t",
      .updated_ms = 1,
      .choices = {.mode = cursorwire::AgentMode::kPlan, .model = "m", .effort = "high"}};
  ASSERT_TRUE(folder.Write(record).ok());
  scratch.Write("s/" + folder.NewId() + ".json", "{\"folder\":");
  scratch.Write("s/" + folder.NewId() + ".json", std::string(kMaxRecordBytes + 1, ' '));
  scratch.Write("s/notes.json", "{}");
  ASSERT_EQ(folder.List().size(), 1);
  EXPECT_EQ(folder.List()[0].choices, record.choices);
  EXPECT_EQ(UpdatedAt(record), "1970-01-01T00:00:00Z");
  for (const char* bad : {"", "..", "../s/x", "A"}) {
    EXPECT_THAT(folder.Read(bad), StatusIs(absl::StatusCode::kNotFound));
  }
}

}  // namespace
}  // namespace cursor_acp
