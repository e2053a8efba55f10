#include "cursorwire/documents/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "documents/played_turn.h"
#include "support/status_matchers.h"

namespace cursorwire::documents {
namespace {

using std::chrono::milliseconds;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ToolCallInfo Call(std::string id, std::string kind, std::string arguments = "{}",
                  std::string result = "") {
  return {.call_id = std::move(id),
          .kind = std::move(kind),
          .arguments_json = std::move(arguments),
          .result_json = std::move(result)};
}

ToolCallInfo McpCall(std::string id, std::string name, std::string arguments = "{}",
                     std::string result = "") {
  ToolCallInfo call = Call(std::move(id), "mcp", std::move(arguments), std::move(result));
  call.name = std::move(name);
  return call;
}

absl::Status ErrorFrom(connect::ErrorOrigin origin, absl::StatusCode code, const char* message) {
  absl::Status status(code, message);
  connect::SetErrorInfo(status, {.origin = origin});
  return status;
}

// --- text

TEST(Builder, StreamsTextAsItComes) {
  PlayedTurn turn;
  turn.Text("Hel").Text("lo\n\n```cpp\nint x").Text(";\n```\n").End();
  EXPECT_THAT(turn.event_names(),
              ElementsAre("document_start 1", "content_delta 1", "content_delta 1",
                          "document_end 1", "document_start 2", "content_delta 2",
                          "content_delta 2", "document_end 2", "done"));
  EXPECT_THAT(turn.documents(), ElementsAre("text|Hello", "code_block|int x;"));
}

TEST(Builder, AddsToADocumentOnceForEachPiece) {
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += "x = 1\n\n";
  for (const bool keeps : {true, false}) {
    PlayedTurn turn({.keep_documents = keeps});
    turn.Text("Look:\n```py\n").Text(lines).Text(lines + "```\nEnd");
    EXPECT_THAT(turn.event_names(),
                ElementsAre("document_start 1", "content_delta 1", "document_end 1",
                            "document_start 2", "content_delta 2", "content_delta 2",
                            "document_end 2", "document_start 3", "content_delta 3"));
    if (keeps) turn.End();
  }
}

// Code that has no text yet is code all the same.
TEST(Builder, FollowsTheSchemaWhileItStreams) {
  PlayedTurn turn;
  turn.Text("```py\n").Start(McpCall("1", "write", R"({"path":"a","contents":""})"));
  EXPECT_EQ(turn.builder().response().documents.at(0).content, "");
  EXPECT_EQ(turn.builder().response().documents.at(1).content, "");
  turn.End();
}

TEST(Builder, ShowsLinesOfAFile) {
  PlayedTurn turn;
  turn.Text("```4:5:src/lo").Text("gin.py\na\nb\n```\n").End();
  EXPECT_THAT(turn.documents(), ElementsAre("code_reference|a\nb"));
  EXPECT_EQ(turn.Of<CodeReferenceMetadata>(0).file_path, "src/login.py");
}

TEST(Builder, KeepsTheHead) {
  PlayedTurn turn({.model = "gpt-9", .mode = AgentMode::kPlan, .conversation_id = "c1"});
  turn.Text("Hi").Wait(milliseconds(250)).Add(StepStarted{1}).Add(StepStarted{2});
  EXPECT_EQ(turn.builder().response().head.status, ResponseStatus::kStreaming);
  turn.builder().set_conversation_id("c2");
  const ResponseHead head =
      turn.Add(TurnEnded{{.input_tokens = 10, .output_tokens = 4, .reasoning_tokens = 3}})
          .End()
          .head;
  EXPECT_EQ(head.id, "chat_00000000000040008000000000000001");
  EXPECT_EQ(head.conversation_id, "conv_c2");
  EXPECT_EQ(head.model, "gpt-9");
  EXPECT_EQ(head.status, ResponseStatus::kCompleted);
  EXPECT_EQ(head.usage.total_tokens, 14);
  EXPECT_EQ(head.usage.reasoning_tokens, 3);
  EXPECT_EQ(head.usage.cache_read_tokens, std::nullopt);
  EXPECT_EQ(head.metadata.duration, milliseconds(250));
  EXPECT_EQ(head.metadata.turn_count, 2);
  EXPECT_THAT(ToJson(turn.builder().response()), HasSubstr(R"("created":"2026-09-21T14:13:20Z")"));
}

TEST(Builder, IgnoresWhatComesBehindTheEnd) {
  PlayedTurn turn;
  turn.Text("a").Add(TurnEnded{}).Text("b").Start(Call("1", "read")).Query(CreatePlanQuery{});
  turn.End(absl::UnavailableError("lost"));
  EXPECT_THAT(turn.documents(), ElementsAre("text|a"));
  EXPECT_EQ(turn.builder().response().head.status, ResponseStatus::kCompleted);
}

TEST(Builder, TakesElementsOfAStream) {
  Builder builder;
  EXPECT_THAT(builder.Add(absl::StatusOr<ChatEvent>(TextDelta{"a"})), SizeIs(2));
  const auto end = builder.Add(absl::StatusOr<ChatEvent>(absl::UnavailableError("lost")));
  EXPECT_THAT(end, SizeIs(5));  // the end of the text, an error of three events, done
  EXPECT_THAT(builder.Finish(absl::OkStatus()), IsEmpty());
  EXPECT_EQ(builder.response().head.status, ResponseStatus::kError);
}

// --- tools

TEST(Builder, ShowsACallWithItsResult) {
  PlayedTurn turn;
  turn.Text("Let me look.").Start(Call("c1", "read", R"({"path":"a.txt"})"));
  turn.Wait(milliseconds(40));
  turn.Complete(Call("c1", "read", R"({"path":"a.txt"})", R"({"success":{"content":"x"}})"));
  turn.Text("Done.").End();
  EXPECT_THAT(turn.documents(), ElementsAre("text|Let me look.", "tool_call", "text|Done."));
  EXPECT_THAT(
      turn.event_names(),
      ElementsAre("document_start 1", "content_delta 1", "document_end 1", "document_start 2",
                  "tool_call_start 2", "tool_call_arguments 2", "tool_result 2", "document_end 2",
                  "document_start 3", "content_delta 3", "document_end 3", "done"));
  const auto call = turn.Of<ToolCallMetadata>(1);
  EXPECT_EQ(call.tool_name, "read");
  EXPECT_EQ(call.tool_call_id, "c1");
  EXPECT_EQ(call.arguments_json, R"({"path":"a.txt"})");
  EXPECT_EQ(call.result, (ToolOutcome{ToolStatus::kSuccess, R"({"content":"x"})"}));
  EXPECT_EQ(call.duration, milliseconds(40));
  EXPECT_EQ(turn.builder().response().head.metadata.tool_call_count, 1);
}

TEST(Builder, ClosesAFenceWhereAToolStarts) {
  PlayedTurn turn;
  turn.Text("- a\n  ```py\n  x = 1\n").Start(Call("1", "ls")).Text("  y = 2\n```\nz").End();
  EXPECT_THAT(turn.documents(), ElementsAre("text|- a", "code_block|x = 1", "tool_call",
                                            "text|  y = 2", "code_block|z"));
}

TEST(Builder, LetsToolsRunBesideEachOtherAndText) {
  PlayedTurn turn;
  turn.Start(Call("a", "ls")).Start(Call("b", "grep")).Text("Meanwhile");
  turn.Complete(Call("b", "grep", "{}", R"({"success":{}})")).Text(", more");
  turn.Complete(Call("a", "ls", "{}", R"({"error":{"error":"no such folder"}})")).End();
  EXPECT_THAT(turn.documents(), ElementsAre("tool_call", "tool_call", "text|Meanwhile, more"));
  EXPECT_EQ(turn.Of<ToolCallMetadata>(0).result,
            (ToolOutcome{ToolStatus::kError, R"({"error":{"error":"no such folder"}})"}));
}

TEST(Builder, StartsADocumentWithTheFirstSignOfACall) {
  PlayedTurn turn;
  turn.Add(ToolCallPartial{Call("1", ""), "{"});  // nobody knows yet which tool
  turn.Add(ToolCallPartial{McpCall("2", ""), "{"});
  EXPECT_THAT(turn.events(), IsEmpty());
  turn.Add(ToolCallPartial{Call("1", "shell"), "\"command"});
  EXPECT_THAT(turn.event_names(), ElementsAre("document_start 1", "tool_call_start 1"));
  turn.Start(Call("1", "shell", R"({"command":"ls"})")).End();
  EXPECT_EQ(turn.Of<TerminalCommandMetadata>(0).command, "ls");
}

TEST(Builder, WaitsForTheNameOfAFile) {
  PlayedTurn turn;
  turn.Add(ToolCallPartial{Call("1", "edit"), "{\"path"});
  EXPECT_THAT(turn.events(), IsEmpty());
  turn.Add(ToolCallPartial{Call("1", "edit", R"({"path":"a.cc"})"), "\":\"a.cc\""});
  EXPECT_THAT(turn.event_names(), ElementsAre("document_start 1", "tool_call_start 1"));
  turn.Add(ToolCallPartial{McpCall("2", "edit_file"), "{"});
  turn.Start(Call("1", "edit", R"({"path":"a.cc"})"));
  turn.Start(McpCall("2", "edit_file", R"({"path":"b.cc"})"));
  turn.Add(ToolCallPartial{McpCall("3", "edit_file"), "{"}).End();
  EXPECT_THAT(turn.documents(), ElementsAre("file_edit", "file_edit"));
  EXPECT_EQ(turn.Of<FileEditMetadata>(0).file_path, "a.cc");
  EXPECT_EQ(turn.Of<FileEditMetadata>(0).language, "cpp");
  EXPECT_EQ(turn.Of<FileEditMetadata>(1).file_path, "b.cc");
}

TEST(Builder, ShowsAChangeOfNoFileAsACallWithItsArguments) {
  const struct {
    const char* name;
    ToolCallInfo call;
  } kCases[] = {
      {"a tool of a client", McpCall("1", "edit_file", R"({"instructions":"do it"})")},
      {"an empty path", McpCall("1", "write", R"({"contents":"x","path":""})")},
      {"a path that is no text", McpCall("1", "delete_file", R"({"path":7})")},
      {"an edit of the service", Call("1", "edit", R"({"stream_content":"x"})")},
      {"a deletion of the service", Call("1", "delete", "{}", R"({"error":{"error":"x"}})")},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    PlayedTurn turn;
    turn.Start(c.call).Complete(c.call).End();
    EXPECT_THAT(turn.documents(), ElementsAre("tool_call"));
    EXPECT_EQ(turn.Of<ToolCallMetadata>(0).arguments_json, c.call.arguments_json);
    EXPECT_EQ(turn.Of<ToolCallMetadata>(0).tool_name,
              c.call.name.empty() ? c.call.kind : c.call.name);
  }
}

TEST(Builder, TakesTheNameOfAFileFromTheResultOfACallThatComesCompleted) {
  PlayedTurn turn;
  turn.Complete(
      Call("1", "edit", "{}", R"({"success":{"path":"a.py","after_full_file_content":"x\n"}})"));
  turn.End();
  EXPECT_THAT(turn.documents(), ElementsAre("file_edit|x\n"));
  EXPECT_EQ(turn.Of<FileEditMetadata>(0).file_path, "a.py");
}

TEST(Builder, ShowsACallOnceThoughALostTurnRepeatsIt) {
  PlayedTurn turn;
  const ToolCallInfo done = Call("1", "ls", "{}", R"({"success":{}})");
  turn.Start(Call("1", "ls")).Start(Call("1", "ls")).Complete(done);
  turn.Add(ToolCallPartial{Call("1", "ls"), ""}).Start(Call("1", "ls")).Complete(done).End();
  EXPECT_THAT(turn.documents(), ElementsAre("tool_call"));
}

TEST(Builder, TellsCallsWithoutIdsApartByTheirOrder) {
  PlayedTurn turn;
  turn.Start(Call("", "ls", R"({"path":"a"})")).Start(Call("", "ls", R"({"path":"b"})"));
  turn.Complete(Call("", "ls", "{}", R"({"success":{"n":"2"}})")).Start(Call("", "read")).End();
  EXPECT_THAT(turn.documents(), ElementsAre("tool_call", "tool_call", "tool_call"));
  EXPECT_EQ(turn.Of<ToolCallMetadata>(0).result, std::nullopt);
  EXPECT_EQ(turn.Of<ToolCallMetadata>(1).result->data_json, R"({"n":"2"})");
}

TEST(Builder, ShowsACallThatComesCompletedAlone) {
  PlayedTurn turn;
  turn.Complete(McpCall("1", "get_weather", R"({"city":"Bern"})",
                        R"({"success":{"content":[{"text":{"text":"sunny"}}]}})"));
  turn.End();
  const auto call = turn.Of<ToolCallMetadata>(0);
  EXPECT_EQ(call.tool_name, "get_weather");
  EXPECT_EQ(call.arguments_json, R"({"city":"Bern"})");
  EXPECT_EQ(call.result->status, ToolStatus::kSuccess);
}

TEST(Builder, EndsWhatIsOpenWhenTheTurnEnds) {
  PlayedTurn turn;
  turn.Start(Call("b", "ls")).Start(Call("a", "shell", R"({"command":"make"})"));
  turn.Add(ToolCallDelta{"a", "", R"({"shell_tool_call_delta":{"stdout":{"content":"half"}}})"});
  turn.Text("```py\nx").End(absl::CancelledError("stopped"));
  EXPECT_THAT(turn.documents(), ElementsAre("tool_call", "terminal_command", "code_block|x"));
  EXPECT_THAT(turn.event_names().back(), "done");
  EXPECT_EQ(turn.Of<ToolCallMetadata>(0).result, std::nullopt);
  const auto command = turn.Of<TerminalCommandMetadata>(1);
  EXPECT_EQ(command.output, "half");
  EXPECT_EQ(command.exit_code, std::nullopt);
  EXPECT_EQ(command.status, std::nullopt);
}

TEST(Builder, ReadsResultsOfEveryKind) {
  const struct {
    std::string result;
    ToolStatus status;
    std::string data;
  } kCases[] = {
      {"", ToolStatus::kSuccess, "{}"},
      {R"({"success":{"a":1}})", ToolStatus::kSuccess, R"({"a":1})"},
      {R"({"is_background":true,"success":{}})", ToolStatus::kSuccess, "{}"},
      {R"({"still_running":{"task_id":"t"}})", ToolStatus::kSuccess, R"({"task_id":"t"})"},
      {R"({"files":{"n":1}})", ToolStatus::kSuccess, R"({"files":{"n":1}})"},
      {R"({"rejected":{"reason":"no"}})", ToolStatus::kError, R"({"rejected":{"reason":"no"}})"},
      {R"({"permission_denied":{}})", ToolStatus::kError, R"({"permission_denied":{}})"},
      {R"({"success":{"content":[{"text":{"text":"bad city"}}],"is_error":true}})",
       ToolStatus::kError, R"({"content":[{"text":{"text":"bad city"}}],"is_error":true})"},
      {"no JSON", ToolStatus::kSuccess, R"({"text":"no JSON"})"},
      {"[1]", ToolStatus::kSuccess, R"({"text":"[1]"})"},
      {R"({"success":7})", ToolStatus::kSuccess, "7"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.result);
    PlayedTurn turn;
    turn.Complete(Call("1", "grep", "{}", c.result)).End();
    const auto call = turn.Of<ToolCallMetadata>(0);
    EXPECT_EQ(call.result->status, c.status);
    EXPECT_EQ(call.result->data_json, c.data);
  }
}

TEST(Builder, MakesUtf8OfIdsAndNames) {
  PlayedTurn turn;
  turn.Start(McpCall("i\xFF", "n\xFF"));
  turn.Complete(McpCall("i\xFF", "n\xFF", "{}", R"({"success":{}})")).End();
  EXPECT_THAT(turn.documents(), SizeIs(1));
  EXPECT_EQ(turn.Of<ToolCallMetadata>(0).tool_name, "n\xEF\xBF\xBD");
  EXPECT_EQ(turn.Of<ToolCallMetadata>(0).tool_call_id, "i\xEF\xBF\xBD");
}

TEST(Builder, BearsHostileJson) {
  const std::string deep = std::string(10'000, '[');
  for (const std::string& json :
       {deep, R"({"a":)" + deep + std::string(10'000, ']') + "}", std::string("{\"a\xFF\":1}"),
        std::string(R"({"path":7,"todos":{},"questions":"x","command":[]})"),
        std::string(R"({"todos":[1,{"id":3}],"questions":[[]],"phases":[{"todos":[{}]}]})")}) {
    for (const char* kind :
         {"read", "edit", "delete", "shell", "create_plan", "ask_question", "update_todos", ""}) {
      PlayedTurn turn;  // a short one, which is checked as a whole after each event
      turn.Complete(Call("1", kind, json, json));
      turn.Complete(Call("2", kind, json, R"({"success":)" + json + "}"));
      turn.Complete(Call("3", kind, json, R"({"error":)" + json + "}"));
      turn.End();
    }
  }
}

// A parser whose time is the square of the length would need minutes.
TEST(Builder, ReadsALargeResult) {
  std::string list = "[{}";
  for (int i = 0; i < 60'000; ++i) list += ",{}";
  PlayedTurn turn;
  turn.Complete(Call("1", "ls", "{}", R"({"success":{"files":)" + list + "]}}")).End();
  EXPECT_EQ(turn.Of<ToolCallMetadata>(0).result->data_json, R"({"files":)" + list + "]}");
}

TEST(Builder, ShowsJsonThatIsTooDeepAsAText) {
  const auto nested = [](size_t depth) {
    return R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  PlayedTurn turn;
  turn.Complete(Call("1", "ls", nested(99))).Complete(Call("2", "ls", nested(100))).End();
  EXPECT_EQ(turn.Of<ToolCallMetadata>(0).arguments_json, nested(99));
  EXPECT_EQ(turn.Of<ToolCallMetadata>(1).arguments_json,
            R"({"text":"{\"a\":)" + nested(100).substr(5) + R"("})");
}

// --- files

TEST(Builder, ShowsAnEditWithItsDiff) {
  PlayedTurn turn;
  turn.Complete(Call("1", "edit", R"({"path":"src/a.py"})",
                     R"({"success":{"path":"src/a.py","before_full_file_content":"a\nb\nc\n",)"
                     R"("after_full_file_content":"a\nB\nc\n","lines_added":1}})"));
  turn.End();
  const auto edit = turn.Of<FileEditMetadata>(0);
  EXPECT_EQ(edit.file_path, "src/a.py");
  EXPECT_EQ(edit.operation, FileOperation::kEdit);
  EXPECT_EQ(edit.language, "python");
  EXPECT_EQ(edit.diff, (FileDiff{"b\n", "B\n", 2, 2}));
  EXPECT_THAT(turn.documents(), ElementsAre("file_edit|B\n"));
}

TEST(Builder, TellsANewFileFromAChangedOne) {
  const struct {
    const char* name;
    std::string result;
    FileOperation operation;
    std::optional<FileDiff> diff;
    const char* document;
  } kCases[] = {
      {"new", R"({"after_full_file_content":"x\ny\n","lines_added":2})", FileOperation::kCreate,
       std::nullopt, "file_edit|x\ny\n"},
      {"was empty", R"({"before_full_file_content":"","after_full_file_content":"x\n"})",
       FileOperation::kEdit, FileDiff{"", "x\n", 1, 0}, "file_edit|x\n"},
      {"is empty now", R"({"before_full_file_content":"x\n"})", FileOperation::kEdit,
       FileDiff{"x\n", "", 1, 1}, "file_edit|"},
      {"the former content was left out", R"({"after_full_file_content":"x\n","lines_removed":1})",
       FileOperation::kEdit, std::nullopt, "file_edit|x\n"},
      {"nothing is said", "{}", FileOperation::kEdit, std::nullopt, "file_edit"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    PlayedTurn turn;
    turn.Complete(Call("1", "edit", R"({"path":"a"})", R"({"success":)" + c.result + "}")).End();
    EXPECT_EQ(turn.Of<FileEditMetadata>(0).operation, c.operation);
    EXPECT_EQ(turn.Of<FileEditMetadata>(0).diff, c.diff);
    EXPECT_THAT(turn.documents(), ElementsAre(c.document));
  }
}

TEST(Builder, ShowsWhatTheModelWroteWhereTheResultDoesNotTellTheNewText) {
  const std::string arguments = R"({"path":"a","stream_content":"written"})";
  const struct {
    const char* result;
    const char* document;
  } kCases[] = {
      {R"({"success":{"path":"a"}})", "file_edit|written"},
      {R"({"success":{"after_full_file_content":"x"}})", "file_edit|x"},
      {R"({"rejected":{"reason":"no"}})", "file_edit|written"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.result);
    PlayedTurn turn;
    turn.Complete(Call("1", "edit", arguments, c.result)).End();
    EXPECT_EQ(turn.documents()[0], c.document);
  }
}

TEST(Builder, ShowsADeletion) {
  PlayedTurn turn;
  turn.Complete(Call("1", "delete", R"({"path":"a.md"})",
                     R"({"success":{"path":"a.md","prev_content":"x\ny\n"}})"));
  turn.Complete(McpCall("2", "delete_file", R"({"target_file":"b.md"})", R"({"success":{}})"));
  turn.End();
  EXPECT_EQ(turn.Of<FileEditMetadata>(0).operation, FileOperation::kDelete);
  EXPECT_EQ(turn.Of<FileEditMetadata>(0).diff, (FileDiff{"x\ny\n", "", 1, 2}));
  EXPECT_THAT(turn.documents(), ElementsAre("file_edit", "file_edit"));
  EXPECT_EQ(turn.Of<FileEditMetadata>(1).operation, FileOperation::kDelete);
  EXPECT_EQ(turn.Of<FileEditMetadata>(1).file_path, "b.md");
  EXPECT_EQ(turn.Of<FileEditMetadata>(1).diff, std::nullopt);
}

TEST(Builder, KnowsEditsOfClientsTools) {
  PlayedTurn turn;
  turn.Complete(
      McpCall("1", "search_replace", R"({"file_path":"a.ts","old_string":"x","new_string":"y"})"));
  turn.Complete(
      McpCall("2", "search_replace", R"({"file_path":"b.ts","old_string":"","new_string":"y\n"})"));
  turn.Complete(McpCall("3", "write", R"({"file_path":"c.ts","contents":"z"})"));
  turn.Complete(McpCall("4", "edit_file", R"({"path":"d.ts","code_edit":"// ..."})"));
  turn.End();
  EXPECT_THAT(turn.documents(),
              ElementsAre("file_edit|y", "file_edit|y\n", "file_edit|z", "file_edit|// ..."));
  EXPECT_EQ(turn.Of<FileEditMetadata>(1).diff, std::nullopt);
  EXPECT_EQ(turn.Of<FileEditMetadata>(0).diff, (FileDiff{"x", "y", std::nullopt, std::nullopt}));
  EXPECT_EQ(turn.Of<FileEditMetadata>(1).operation, FileOperation::kCreate);
  EXPECT_EQ(turn.Of<FileEditMetadata>(2).operation, FileOperation::kCreate);
  EXPECT_EQ(turn.Of<FileEditMetadata>(2).diff, std::nullopt);
  EXPECT_EQ(turn.Of<FileEditMetadata>(3).operation, FileOperation::kEdit);
  EXPECT_EQ(turn.Of<FileEditMetadata>(3).diff, std::nullopt);
  EXPECT_EQ(turn.Of<FileEditMetadata>(3).file_path, "d.ts");
}

TEST(Builder, PutsAnErrorBehindAFailedEdit) {
  PlayedTurn turn;
  turn.Text("Changing").Start(Call("1", "edit", R"({"path":"a"})")).Text("now");
  turn.Complete(Call("1", "edit", R"({"path":"a"})",
                     R"({"write_permission_denied":{"path":"a","error":"read-only file"}})"));
  turn.Text("Sorry").End();
  EXPECT_THAT(turn.documents(), ElementsAre("text|Changing", "file_edit", "text|now",
                                            "error|read-only file", "text|Sorry"));
  const auto error = turn.Of<ErrorMetadata>(3);
  EXPECT_EQ(error.error_code, "write_permission_denied");
  EXPECT_EQ(error.source, "edit");
  EXPECT_EQ(error.details, "read-only file");
  EXPECT_EQ(error.document_id, "doc_002");
  EXPECT_EQ(error.tool_call_id, "1");
  EXPECT_EQ(turn.builder().response().head.status, ResponseStatus::kCompleted);
}

TEST(Builder, PutsAnErrorBehindTheTypesThatCannotSayIt) {
  const struct {
    const char* kind;
    const char* result;
    bool has_error;
  } kCases[] = {
      {"read", R"({"error":{"error":"x"}})", false},
      {"shell", R"({"rejected":{"reason":"x"}})", false},
      {"edit", R"({"error":{"error":"x"}})", true},
      {"edit", R"({"error":"x"})", true},
      {"delete", R"({"file_not_found":{"path":"x"}})", true},
      {"create_plan", R"({"error":{"error":"x"}})", true},
      {"update_todos", R"({"error":{"error":"x"}})", true},
      {"ask_question", R"({"error":{"error_message":"x"}})", true},
      {"ask_question", R"({"rejected":{"reason":"x"}})", false},  // nobody was there to answer
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::string(c.kind) + c.result);
    PlayedTurn turn;
    turn.Complete(Call("1", c.kind, R"({"path":"a"})", c.result)).End();
    EXPECT_THAT(turn.documents(), SizeIs(c.has_error ? 2 : 1));
  }
}

TEST(Builder, SaysNoReasonWhereTheToolToldNone) {
  PlayedTurn turn;
  turn.Complete(Call("1", "delete", R"({"path":"a"})", R"({"file_not_found":{"path":"a"}})")).End();
  EXPECT_THAT(turn.documents(), ElementsAre("file_edit", "error|file not found"));
  EXPECT_EQ(turn.Of<ErrorMetadata>(1).details, "");
  EXPECT_THAT(ToJson(turn.builder().response()),
              HasSubstr(R"("metadata":{"errorCode":"file_not_found","source":"delete",)"
                        R"("details":"","documentId":"doc_001","toolCallId":"1"})"));
}

// --- commands

TEST(Builder, ShowsACommandWithItsOutput) {
  PlayedTurn turn;
  const std::string arguments =
      R"({"command":"make","working_directory":"/src","requested_sandbox_policy":)"
      R"({"type":"TYPE_WORKSPACE_READWRITE","network_access":true}})";
  turn.Start(Call("1", "shell", arguments)).Wait(milliseconds(12));
  turn.Complete(
      Call("1", "shell", arguments,
           R"({"failure":{"command":"make","exit_code":2,"stdout":"out","stderr":"err"}})"));
  turn.End();
  const auto command = turn.Of<TerminalCommandMetadata>(0);
  EXPECT_EQ(command.command, "make");
  EXPECT_EQ(command.working_directory, "/src");
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_EQ(command.output, "out\nerr");
  EXPECT_EQ(command.status, ToolStatus::kError);
  EXPECT_EQ(command.duration, milliseconds(12));
  EXPECT_THAT(command.permissions, ElementsAre("workspace_readwrite", "network"));
}

TEST(Builder, TellsWhatWasInForceForACommand) {
  PlayedTurn turn;
  turn.Complete(Call("1", "shell",
                     R"({"command":"x","requested_sandbox_policy":{"type":"TYPE_INSECURE_NONE"}})",
                     R"({"sandbox_policy":{"type":"TYPE_WORKSPACE_READONLY",)"
                     R"("additional_readwrite_paths":["/a",".git",7]},"success":{"stdout":"a"}})"));
  turn.End();
  EXPECT_THAT(turn.Of<TerminalCommandMetadata>(0).permissions,
              ElementsAre("workspace_readonly", "write:/a", "git_write"));
  EXPECT_EQ(turn.Of<TerminalCommandMetadata>(0).output, "a");
}

TEST(Builder, ReadsEveryEndOfACommand) {
  const struct {
    const char* name;
    std::string result;
    std::optional<int32_t> exit_code;
    std::string output;
    ToolStatus status;
  } kCases[] = {
      {"exit code 0 is left out", R"({"success":{"stdout":"a\n","stderr":"b\n"}})", 0, "a\nb\n",
       ToolStatus::kSuccess},
      {"as it was seen", R"({"success":{"stdout":"ab","interleaved_output":"ba"}})", 0, "ba",
       ToolStatus::kSuccess},
      {"killed", R"({"failure":{"signal":"SIGKILL","stdout":"a"}})", std::nullopt, "a",
       ToolStatus::kError},
      {"refused", R"({"rejected":{"command":"x","reason":"not allowed"}})", std::nullopt,
       "not allowed", ToolStatus::kError},
      {"timeout", R"({"timeout":{"timeout_ms":5}})", std::nullopt, "timeout", ToolStatus::kError},
      {"in the background", R"({"success":{"shell_id":3,"stdout":"a"}})", std::nullopt, "a",
       ToolStatus::kSuccess},
      {"failed though it was a success", R"({"success":{"exit_code":1}})", 1, "",
       ToolStatus::kError},
      {"stopped", R"({"failure":{"aborted":true,"stdout":"a"}})", std::nullopt, "a",
       ToolStatus::kError},
      {"an exit code that is none", R"({"success":{"exit_code":{},"stdout":"a"}})", std::nullopt,
       "a", ToolStatus::kSuccess},
      {"no result", "", std::nullopt, "", ToolStatus::kSuccess},
      {"a result that nobody knows", R"({"paused":{"stdout":"a"}})", std::nullopt, "",
       ToolStatus::kSuccess},
      {"a reason without a name", R"({"spawn_error":"no such shell"})", std::nullopt,
       "no such shell", ToolStatus::kError},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    PlayedTurn turn;
    turn.Complete(Call("1", "shell", R"({"command":"x"})", c.result)).End();
    const auto command = turn.Of<TerminalCommandMetadata>(0);
    EXPECT_EQ(command.exit_code, c.exit_code);
    EXPECT_EQ(command.output, c.output);
    EXPECT_EQ(command.status, c.status);
  }
}

// It may run the command in any way of its own.
TEST(Builder, KnowsTheExitCodeOfAClientsCommandOnlyIfItSaysIt) {
  PlayedTurn turn;
  turn.Complete(McpCall("1", "run_terminal_cmd", R"({"command":"x"})",
                        R"({"success":{"content":[{"text":{"text":"hi"}}]}})"));
  turn.Complete(McpCall("2", "run_terminal_cmd", R"({"command":"x"})",
                        R"({"success":{"stdout":"hi","exit_code":0}})"));
  turn.End();
  EXPECT_EQ(turn.Of<TerminalCommandMetadata>(0).exit_code, std::nullopt);
  EXPECT_EQ(turn.Of<TerminalCommandMetadata>(0).output, "hi");
  EXPECT_EQ(turn.Of<TerminalCommandMetadata>(1).exit_code, 0);
}

TEST(Builder, TakesTheTimeOfACommandFromTheServiceIfItSaysIt) {
  PlayedTurn turn;
  turn.Complete(McpCall("1", "run_terminal_cmd",
                        R"({"command":"ls","required_permissions":["all"]})",
                        R"({"success":{"local_execution_time_ms":77}})"));
  turn.End();
  EXPECT_EQ(turn.Of<TerminalCommandMetadata>(0).duration, milliseconds(77));
  EXPECT_THAT(turn.Of<TerminalCommandMetadata>(0).permissions, ElementsAre("all"));
}

// --- plans, questions, todo lists

constexpr char kPlan[] =
    R"({"name":"Login","overview":"A form","plan":"# Steps\n1. Form",)"
    R"("todos":[{"id":"a","content":"Form","status":"TODO_STATUS_IN_PROGRESS"},)"
    R"({"content":"Check","dependencies":["a"]}],)"
    R"("phases":[{"name":"p","todos":[{"id":"z","content":"Ship","status":"TODO_STATUS_CANCELLED"}]}]})";

TEST(Builder, ShowsAPlan) {
  PlayedTurn turn;
  turn.Start(Call("1", "create_plan", kPlan))
      .Complete(Call("1", "create_plan", kPlan, R"({"success":{}})"));
  turn.End();
  EXPECT_THAT(turn.documents(), ElementsAre("plan|# Steps\n1. Form"));
  const auto plan = turn.Of<PlanMetadata>(0);
  EXPECT_EQ(plan.title, "Login");
  EXPECT_EQ(plan.overview, "A form");
  EXPECT_THAT(plan.todos, ElementsAre(PlanTodo{"a", "Form", TodoStatus::kInProgress, {}},
                                      PlanTodo{"2", "Check", TodoStatus::kPending, {"a"}},
                                      PlanTodo{"z", "Ship", TodoStatus::kCancelled, {}}));
}

TEST(Builder, MakesOneDocumentOfAQueryAndItsCall) {
  const CreatePlanQuery query{
      .name = "T",
      .plan = "P",
      .todos = {"one", "two"},
      .call_id = "1",
      .todo_items = {{.id = "a", .content = "one", .status = TodoStatus::kInProgress},
                     {.content = "two", .dependencies = {"a"}}}};
  const ToolCallInfo call =
      Call("1", "create_plan",
           R"({"name":"T","plan":"P","todos":[{"id":"a","content":"one","status":)"
           R"("TODO_STATUS_IN_PROGRESS"},{"content":"two","dependencies":["a"]}]})");
  for (const bool query_first : {true, false}) {
    PlayedTurn turn;
    if (query_first) turn.Query(query);
    turn.Start(call);
    if (!query_first) turn.Query(query);
    ToolCallInfo done = call;
    done.result_json = R"({"success":{}})";
    turn.Complete(done).Query(query).End();
    EXPECT_THAT(turn.documents(), ElementsAre("plan|P"));
    EXPECT_THAT(turn.Of<PlanMetadata>(0).todos,
                ElementsAre(PlanTodo{"a", "one", TodoStatus::kInProgress, {}},
                            PlanTodo{"2", "two", TodoStatus::kPending, {"a"}}));
  }
}

TEST(Builder, ShowsAPlanOfTextsAlone) {
  PlayedTurn turn;
  turn.Query(CreatePlanQuery{.name = "T", .todos = {"one", "two"}}).End();
  EXPECT_THAT(turn.Of<PlanMetadata>(0).todos,
              ElementsAre(PlanTodo{"1", "one", TodoStatus::kPending, {}},
                          PlanTodo{"2", "two", TodoStatus::kPending, {}}));
}

TEST(Builder, ShowsQuestionsThatHaveNoCall) {
  PlayedTurn turn;
  const AskQuestionQuery query{
      .title = "Which?",
      .questions = {{.id = "q", .prompt = "Colour?", .options = {{"r", "red"}, {"b", "blue"}}}}};
  turn.Text("One thing:").Query(query).Query(WebSearchQuery{}).Text("Go on").End();
  EXPECT_THAT(turn.documents(),
              ElementsAre("text|One thing:", "clarification|Which?", "text|Go on"));
  EXPECT_THAT(turn.Of<ClarificationMetadata>(1).questions,
              ElementsAre(Question{"q", "Colour?", {{"r", "red"}, {"b", "blue"}}}));
}

TEST(Builder, ShowsQuestionsOfACall) {
  PlayedTurn turn;
  turn.Complete(Call("1", "ask_question",
                     R"({"questions":[{"prompt":"Why?","options":[{"label":"x"}]}]})",
                     R"({"success":{"answers":[]}})"));
  turn.End();
  EXPECT_THAT(turn.documents(), ElementsAre("clarification"));
  EXPECT_THAT(turn.Of<ClarificationMetadata>(0).questions,
              ElementsAre(Question{"1", "Why?", {{"1", "x"}}}));
}

TEST(Builder, ShowsChangesOfTheTodoList) {
  PlayedTurn turn;
  turn.Complete(Call("1", "update_todos",
                     R"({"merge":true,"todos":[{"id":"a","status":"TODO_STATUS_COMPLETED"},{}]})",
                     R"({"success":{"total_count":2}})"));
  turn.Complete(McpCall("2", "todo_write", R"({"todos":[{"id":"b","status":"in_progress"}]})"));
  turn.End();
  EXPECT_THAT(
      turn.Of<TodoUpdateMetadata>(0).todos,
      ElementsAre(TodoChange{"a", TodoStatus::kCompleted}, TodoChange{"2", TodoStatus::kPending}));
  EXPECT_THAT(turn.Of<TodoUpdateMetadata>(1).todos,
              ElementsAre(TodoChange{"b", TodoStatus::kInProgress}));
}

// --- ends

TEST(Builder, PutsTheErrorOfATurnLast) {
  const struct {
    connect::ErrorOrigin origin;
    absl::StatusCode code;
    const char* source;
    const char* word;
  } kCases[] = {
      {connect::ErrorOrigin::kServer, absl::StatusCode::kResourceExhausted, "server",
       "resource_exhausted"},
      {connect::ErrorOrigin::kTransport, absl::StatusCode::kUnavailable, "transport",
       "unavailable"},
      {connect::ErrorOrigin::kProtocol, absl::StatusCode::kInternal, "protocol", "internal"},
      {connect::ErrorOrigin::kLocal, absl::StatusCode::kDeadlineExceeded, "local",
       "deadline_exceeded"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.word);
    PlayedTurn turn;
    turn.Text("a\n```\nx").End(ErrorFrom(c.origin, c.code, "it broke"));
    EXPECT_THAT(turn.documents(), ElementsAre("text|a", "code_block|x", "error|it broke"));
    EXPECT_EQ(turn.Of<ErrorMetadata>(2).source, c.source);
    EXPECT_EQ(turn.Of<ErrorMetadata>(2).error_code, c.word);
    EXPECT_EQ(turn.builder().response().head.status, ResponseStatus::kError);
  }
}

TEST(Builder, SaysWhatTheServiceToldOfAnError) {
  absl::Status status(absl::StatusCode::kFailedPrecondition, "Error");
  connect::ErrorDetail detail{
      .type = "aiserver.v1.ErrorDetails",
      .value = "",
      .debug_json = R"({"error":"X","details":{"title":"No model","detail":"Choose another."}})"};
  connect::SetErrorInfo(status, {.origin = connect::ErrorOrigin::kServer, .details = {detail}});
  PlayedTurn turn;
  turn.End(status);
  EXPECT_EQ(turn.Of<ErrorMetadata>(0).details, "No model: Choose another.");
  PlayedTurn other;
  other.End(absl::UnavailableError("lost"));
  EXPECT_EQ(other.Of<ErrorMetadata>(0).details, "");
}

TEST(Builder, HasAResponseThoughNothingCame) {
  PlayedTurn turn;
  turn.End(absl::UnauthenticatedError("no token"));
  EXPECT_THAT(turn.documents(), ElementsAre("error|no token"));
  EXPECT_EQ(turn.builder().response().head.metadata.turn_count, 0);
}

TEST(Builder, KeepsWhatThereIsOfACancelledTurn) {
  PlayedTurn turn;
  turn.Text("half").End(absl::CancelledError("stopped"));
  EXPECT_THAT(turn.documents(), ElementsAre("text|half"));
  EXPECT_EQ(turn.builder().response().head.status, ResponseStatus::kError);
}

// --- limits

TEST(Builder, EndsAnAnswerThatIsTooLarge) {
  PlayedTurn turn({.max_bytes = 10'000});
  for (int i = 0; i < 200; ++i) turn.Text(std::string(100, 'x'));
  EXPECT_THAT(turn.builder().status(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(turn.event_names().back(), "done");
  turn.End();
  ASSERT_THAT(turn.documents(), SizeIs(2));
  EXPECT_LE(turn.documents()[0].size(), 10'100U);
  EXPECT_EQ(turn.Of<ErrorMetadata>(1).error_code, "resource_exhausted");
}

TEST(Builder, CountsBlanksThatItHolds) {
  PlayedTurn turn({.max_bytes = 10'000});
  turn.Text(std::string(20'000, ' '));
  EXPECT_THAT(turn.builder().status(), StatusIs(absl::StatusCode::kResourceExhausted));
  turn.End();
}

TEST(Builder, CountsCallsThatNeverEnd) {
  PlayedTurn turn({.max_bytes = 100'000});
  for (int i = 0; i < 1000; ++i) turn.Start(Call(std::to_string(i), "read"));
  EXPECT_THAT(turn.builder().status(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_LT(turn.events().size(), 3000U);
  turn.End();
}

// Eight bytes of text make a document of 256.
TEST(Builder, LooksAtTheLimitWithinOneDelta) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "```\n```\n";
  for (const bool keeps : {true, false}) {
    Builder builder({.keep_documents = keeps, .max_bytes = 1'000'000});
    const auto events = builder.Add(ChatEvent(TextDelta{text}));
    EXPECT_THAT(builder.status(), StatusIs(absl::StatusCode::kResourceExhausted));
    EXPECT_LT(events.size(), 12'000U);
  }
}

TEST(Builder, CountsIdsAndNamesOfCalls) {
  for (const bool ends : {true, false}) {
    Builder builder({.keep_documents = false, .max_bytes = 100'000});
    for (int i = 0; i < 100 && builder.status().ok(); ++i) {
      const std::string id = std::to_string(i) + std::string(10'000, 'x');
      (void)builder.Add(ChatEvent(ToolCallPartial{McpCall(id, "t"), ""}));
      if (ends) (void)builder.Add(ChatEvent(ToolCallCompleted{McpCall(id, "t")}));
    }
    EXPECT_THAT(builder.status(), StatusIs(absl::StatusCode::kResourceExhausted));
  }
}

TEST(Builder, HoldsOpenDocumentsAloneIfItIsToldTo) {
  Builder builder({.keep_documents = false, .max_bytes = 5000});
  ChatResponseBuilder rebuilt;
  for (int i = 0; i < 500; ++i) {
    for (const ChatEvent& event : {ChatEvent(TextDelta{std::string(200, 'x')}),
                                   ChatEvent(ToolCallCompleted{Call(std::to_string(i), "read")})}) {
      for (const DocumentEvent& part : builder.Add(event)) ASSERT_TRUE(rebuilt.Apply(part).ok());
    }
  }
  for (const DocumentEvent& part : builder.Add(ChatEvent(TurnEnded{}))) {
    ASSERT_TRUE(rebuilt.Apply(part).ok());
  }
  EXPECT_TRUE(builder.status().ok());
  EXPECT_THAT(builder.response().documents, IsEmpty());
  EXPECT_EQ(builder.response().head, rebuilt.response().head);
  EXPECT_THAT(rebuilt.response().documents, SizeIs(1000));
}

}  // namespace
}  // namespace cursorwire::documents
