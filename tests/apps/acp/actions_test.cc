#include <absl/strings/escaping.h>
#include <cursorwire/run_options.h>
#include <cursorwire/workspace.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "acp/tool_call.h"
#include "apps/acp/scripted_editor.h"

// What the agent does in the folder and through the editor, and what the user is asked.
namespace cursor_acp::test {
namespace {

using cursorwire::Script;

const char kWrite[] = R"({"write_args":{"path":"a.txt","file_text":"new\n"}})";
const char kWritten[] = R"({"write_result":{"success":{}}})";
const char kWriteRejected[] = R"({"write_result":{"rejected":{}}})";
const char kShell[] = R"({"shell_args":{"command":"echo hi"}})";

std::string ContentOf(const ScriptedEditor& editor, const std::string& file) {
  std::ifstream stream(editor.folder().At(file));
  return {std::istreambuf_iterator<char>(stream), {}};
}

Json Selected(const char* option) {
  return {{"outcome", {{"outcome", "selected"}, {"optionId", option}}}};
}

Json FileAbilities() { return {{"fs", {{"readTextFile", true}, {"writeTextFile", true}}}}; }

std::vector<std::string> MethodsOf(const ScriptedEditor& editor) {
  std::vector<std::string> methods;
  for (const Json& request : editor.requests()) methods.push_back(request["method"]);
  return methods;
}

TEST(AcpWrite, IsAskedWithItsDiffAndDoneOnTheDisk) {
  ScriptedEditor editor({.scripts = {Script().Exec(kWrite).Expect(kWritten).TurnEnded()}});
  editor.folder().Write("a.txt", "old\n");
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 1);
  const Json& params = editor.requests()[0]["params"];
  EXPECT_EQ(params["sessionId"], editor.session());
  const Json& diff = params["toolCall"]["content"][0];
  EXPECT_EQ(diff["type"], "diff");
  EXPECT_EQ(diff["path"], editor.folder().At("a.txt"));
  EXPECT_EQ(diff["oldText"], "old\n");
  EXPECT_EQ(diff["newText"], "new\n");
  EXPECT_EQ(params["toolCall"]["locations"][0]["path"], editor.folder().At("a.txt"));
  ASSERT_EQ(params["options"].size(), 3);
  EXPECT_EQ(params["options"][0],
            Json({{"optionId", "allow-once"}, {"name", "Allow"}, {"kind", "allow_once"}}));
  EXPECT_EQ(params["options"][1]["kind"], "allow_always");
  EXPECT_EQ(params["options"][2]["kind"], "reject_once");
  EXPECT_EQ(ContentOf(editor, "a.txt"), "new\n");
  const Json shown = editor.UpdatesOf("tool_call").at(0);
  EXPECT_EQ(shown["toolCallId"], params["toolCall"]["toolCallId"]);
  EXPECT_EQ(editor.UpdatesOf("tool_call_update").back()["status"], "completed");
}

TEST(AcpWrite, BelongsToTheCallOfTheAgent) {
  ScriptedEditor editor({.scripts = {Script()
                                         .ToolCallStarted(StartedCall("c1", "edit", "a.txt"))
                                         .Exec(kWrite)
                                         .Expect(kWritten)
                                         .TurnEnded()}});
  editor.Prompt("hi");
  ASSERT_EQ(editor.UpdatesOf("tool_call").size(), 1);
  EXPECT_EQ(editor.UpdatesOf("tool_call")[0]["toolCallId"], "c1");
  EXPECT_EQ(editor.requests().at(0)["params"]["toolCall"]["toolCallId"], "c1");
  EXPECT_TRUE(editor.requests().at(0)["params"]["toolCall"]["content"][0]["oldText"].is_null())
      << "a new file";
}

TEST(AcpWrite, GoesThroughTheEditorThatOffersIt) {
  ScriptedEditor editor({.scripts = {Script().Exec(kWrite).Expect(kWritten).TurnEnded()},
                         .abilities = FileAbilities()});
  editor.folder().Write("a.txt", "on disk\n");
  editor.on_request = [](const std::string& method, const Json&) -> std::optional<Json> {
    if (method == "fs/read_text_file") return Json{{"content", "not saved\n"}};
    if (method == "fs/write_text_file") return Json();
    return Selected("allow-once");
  };
  editor.Prompt("hi");
  EXPECT_EQ(MethodsOf(editor),
            (std::vector<std::string>{"fs/read_text_file", "session/request_permission",
                                      "fs/read_text_file", "fs/write_text_file"}));
  EXPECT_EQ(editor.requests()[1]["params"]["toolCall"]["content"][0]["oldText"], "not saved\n");
  EXPECT_EQ(editor.requests()[3]["params"], Json({{"sessionId", editor.session()},
                                                  {"path", editor.folder().At("a.txt")},
                                                  {"content", "new\n"}}));
  EXPECT_EQ(ContentOf(editor, "a.txt"), "on disk\n") << "saving is the editor's";
}

TEST(AcpWrite, IsComparedWithTheDiskWhereTheEditorHasNoText) {
  ScriptedEditor editor({.scripts = {Script().Exec(kWrite).Expect(kWritten).TurnEnded()},
                         .abilities = FileAbilities()});
  editor.folder().Write("a.txt", "on disk\n");
  editor.on_request = [](const std::string& method, const Json&) -> std::optional<Json> {
    if (method == "fs/read_text_file") return Json{{"content", ""}};
    if (method == "fs/write_text_file") return Json();
    return Selected("allow-once");
  };
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 4);
  EXPECT_EQ(editor.requests()[1]["params"]["toolCall"]["content"][0]["oldText"], "on disk\n");
}

const char kRead[] = R"({"read_args":{"path":"a.txt"}})";
const char kAnyRead[] = R"({"read_result":{"success":{}}})";
const char kStale[] =
    R"({"write_result":{"error":{"error":{"$contains":"has changed since it was read"}}}})";

TEST(AcpWrite, KeepsWhatTheUserTypedSinceTheRead) {
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(kRead)
                                         .Expect(kAnyRead)
                                         .Exec(kWrite)
                                         .Expect(kStale)
                                         .Exec(kRead)
                                         .Expect(kAnyRead)
                                         .Exec(kWrite)
                                         .Expect(kWritten)
                                         .Exec(kWrite)
                                         .Expect(kWritten)
                                         .TurnEnded()},
                         .allow = {.write = true},
                         .abilities = FileAbilities()});
  editor.folder().Write("a.txt", "on disk\n");
  int reads = 0;
  std::string buffer = "read\n";
  editor.on_request = [&](const std::string& method, const Json& params) -> std::optional<Json> {
    if (method == "fs/write_text_file") {
      buffer = params["content"];
      return Json();
    }
    if (++reads == 2) buffer = "read, and typed since\n";
    return Json{{"content", buffer}};
  };
  editor.Prompt("hi");
  EXPECT_EQ(MethodsOf(editor),
            (std::vector<std::string>{"fs/read_text_file", "fs/read_text_file", "fs/read_text_file",
                                      "fs/read_text_file", "fs/write_text_file",
                                      "fs/read_text_file", "fs/write_text_file"}));
}

TEST(AcpWrite, KeepsWhatWasSavedOnTheDiskSinceTheRead) {
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(kRead)
                                         .Expect(kAnyRead)
                                         .Exec(R"({"shell_args":{"command":"echo more >> a.txt"}})")
                                         .Expect(R"({"shell_result":{"success":{}}})")
                                         .Exec(kWrite)
                                         .Expect(kStale)
                                         .TurnEnded()},
                         .allow = {.write = true, .shell = true}});
  editor.folder().Write("a.txt", "on disk\n");
  editor.Prompt("hi");
  EXPECT_EQ(ContentOf(editor, "a.txt"), "on disk\nmore\n");
}

TEST(AcpWrite, KeepsWhatWasSavedSinceItWasAttached) {
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(kWrite)
                                         .Expect(kWritten)
                                         .Exec(R"({"shell_args":{"command":"echo more >> a.txt"}})")
                                         .Expect(R"({"shell_result":{"success":{}}})")
                                         .TurnEnded(),
                                     Script().Exec(kWrite).Expect(kStale).TurnEnded()},
                         .allow = {.write = true, .shell = true}});
  editor.folder().Write("a.txt", "on disk\n");
  const auto prompt = [&editor](const std::string& text) {
    const Json resource = {{"uri", "file://" + editor.folder().At("a.txt")}, {"text", text}};
    const Json block = {{"type", "resource"}, {"resource", resource}};
    editor.Ask("session/prompt",
               {{"sessionId", editor.session()}, {"prompt", Json::array({block})}});
  };
  prompt("on disk\n");
  EXPECT_EQ(ContentOf(editor, "a.txt"), "new\nmore\n");
  prompt("as it was before\n");
  EXPECT_EQ(ContentOf(editor, "a.txt"), "new\nmore\n");
}

TEST(AcpWrite, ChangesWhatWasAttachedThoughItIsNotSaved) {
  ScriptedEditor editor(
      {.scripts =
           {Script().Exec(kWrite).Expect(kWritten).Exec(kWrite).Expect(kWritten).TurnEnded()},
       .allow = {.write = true},
       .abilities = FileAbilities()});
  editor.folder().Write("a.txt", "on disk\r\n");
  std::string buffer = "not saved\n";
  editor.on_request = [&](const std::string& method, const Json& params) -> std::optional<Json> {
    if (method == "fs/read_text_file") return Json{{"content", buffer}};
    buffer = params["content"];
    editor.folder().Write("a.txt", buffer + "\r\n");  // saved in its own way
    return Json();
  };
  const Json resource = {{"uri", "file://" + editor.folder().At("a.txt")}, {"text", buffer}};
  editor.Ask("session/prompt",
             {{"sessionId", editor.session()},
              {"prompt", Json::array({{{"type", "resource"}, {"resource", resource}}})}});
  EXPECT_EQ(buffer, "new\n");
}

TEST(AcpWrite, KeepsWhatTheUserTypedDuringTheQuestion) {
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(kWrite)
                                         .Expect(R"({"write_result":{"error":{"error":{"$contains":
                                                    "changed the file meanwhile"}}}})")
                                         .TurnEnded()},
                         .abilities = FileAbilities()});
  editor.folder().Write("a.txt", "on disk\n");
  std::string buffer = "read\n";
  editor.on_request = [&](const std::string& method, const Json&) -> std::optional<Json> {
    if (method == "fs/read_text_file") return Json{{"content", buffer}};
    buffer = "typed\n";
    return Selected("allow-once");
  };
  editor.Prompt("hi");
  EXPECT_EQ(MethodsOf(editor),
            (std::vector<std::string>{"fs/read_text_file", "session/request_permission",
                                      "fs/read_text_file"}));
}

TEST(AcpWrite, LeavesToNoEditorWhatSomebodyChangedOnTheDiskDuringTheQuestion) {
  enum class Change { kText, kNew, kLink };
  for (const Change change : {Change::kText, Change::kNew, Change::kLink}) {
    SCOPED_TRACE(static_cast<int>(change));
    ScriptedEditor editor(
        {.scripts = {Script()
                         .Exec(kWrite)
                         .Expect(R"({"write_result":{"error":{"error":{"$contains":
                                                      "changed the file meanwhile"}}}})")
                         .TurnEnded()},
         .abilities = {{"fs", {{"writeTextFile", true}}}}});
    if (change == Change::kText) editor.folder().Write("a.txt", "on disk\n");
    editor.on_request = [&](const std::string&, const Json&) -> std::optional<Json> {
      if (change == Change::kLink) {
        std::filesystem::create_symlink("b.txt", editor.folder().At("a.txt"));
      } else {
        editor.folder().Write("a.txt", "saved\n");
      }
      return Selected("allow-once");
    };
    editor.Prompt("hi");
    EXPECT_EQ(MethodsOf(editor), (std::vector<std::string>{"session/request_permission"}));
  }
}

TEST(AcpWrite, NeverGoesToTheDiskBehindAnEditorThatFails) {
  ScriptedEditor editor(
      {.scripts = {Script().Exec(kWrite).Expect(R"({"write_result":{"error":{}}})").TurnEnded()},
       .allow = {.write = true},
       .abilities = FileAbilities()});
  editor.Prompt("hi");  // the editor answers both with errors
  EXPECT_FALSE(std::filesystem::exists(editor.folder().At("a.txt")));
}

TEST(AcpWrite, IsNotAskedWithTheWordAndRefusedWithoutAsk) {
  for (const bool write : {true, false}) {
    SCOPED_TRACE(write);
    ScriptedEditor editor(
        {.scripts = {Script().Exec(kWrite).Expect(write ? kWritten : kWriteRejected).TurnEnded()},
         .allow = {.write = write}});
    editor.Prompt("hi");
    EXPECT_TRUE(editor.requests().empty());
    EXPECT_EQ(std::filesystem::exists(editor.folder().At("a.txt")), write);
  }
}

TEST(AcpWrite, OutsideOfTheFolderIsRefusedBeforeAnybodyIsAsked) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(R"({"write_args":{"path":"/etc/x","file_text":"new\n"}})")
                       .Expect(R"({"write_result":{"rejected":{}}})")
                       .TurnEnded()},
       .abilities = FileAbilities()});
  editor.Prompt("hi");
  EXPECT_TRUE(editor.requests().empty());
}

TEST(AcpPermission, WhatIsNoYesMeansNo) {
  const struct {
    const char* name;
    Json answer;
  } cases[] = {{"reject", Selected("reject-once")},
               {"cancelled", {{"outcome", {{"outcome", "cancelled"}}}}},
               {"an option that was not offered", Selected("yes")},
               {"no outcome", Json::object()},
               {"null", Json()},
               {"a list", Json::array()}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ScriptedEditor editor({.scripts = {Script().Exec(kWrite).Expect(kWriteRejected).TurnEnded()}});
    editor.on_request = [&c](const std::string&, const Json&) { return c.answer; };
    EXPECT_EQ(editor.Prompt("hi")["result"]["stopReason"], "end_turn");
    EXPECT_FALSE(std::filesystem::exists(editor.folder().At("a.txt")));
  }
}

TEST(AcpPermission, AQuestionThatNobodyAnswersIsTakenBackAndMeansNo) {
  ScriptedEditor editor({.scripts = {Script().Exec(kWrite).Expect(kWriteRejected).TurnEnded()},
                         .max_question_time = std::chrono::milliseconds(1)});
  editor.on_request = [](const std::string&, const Json&) { return std::nullopt; };
  editor.Prompt("hi");
  EXPECT_EQ(MethodsOf(editor),
            (std::vector<std::string>{"session/request_permission", "$/cancel_request"}));
}

TEST(AcpPermission, ACommandThatCannotBeShownWholeIsRefused) {
  const std::string command = ": " + std::string(kMaxShownToolBytes, 'a') + "; touch made";
  for (const bool in_terminal : {false, true}) {
    SCOPED_TRACE(in_terminal);
    ScriptedEditor editor(
        {.scripts = {Script()
                         .Exec(Json{{"shell_args", {{"command", command}}}}.dump())
                         .Expect(R"({"shell_result":{"rejected":{}}})")
                         .TurnEnded()},
         .abilities = {{"terminal", in_terminal}}});
    EXPECT_TRUE(editor.Prompt("hi").contains("result"));
    EXPECT_TRUE(editor.requests().empty());
    EXPECT_FALSE(std::filesystem::exists(editor.folder().At("made")));
  }
}

TEST(AcpPermission, AChangeThatCannotBeShownWholeIsRefused) {
  std::string text;
  while (text.size() <= kMaxShownToolBytes) text += "harmless\n";
  for (const bool in_editor : {false, true}) {
    SCOPED_TRACE(in_editor);
    ScriptedEditor editor(
        {.scripts = {Script()
                         .Exec(
                             Json{{"write_args", {{"path", "a.txt"}, {"file_text", text}}}}.dump())
                         .Expect(kWriteRejected)
                         .TurnEnded()},
         .abilities = in_editor ? FileAbilities() : Json::object()});
    EXPECT_TRUE(editor.Prompt("hi").contains("result"));
    EXPECT_EQ(MethodsOf(editor), in_editor ? std::vector<std::string>{"fs/read_text_file"}
                                           : std::vector<std::string>{});
    EXPECT_FALSE(std::filesystem::exists(editor.folder().At("a.txt")));
  }
}

TEST(AcpPermission, APartOfALargeFileIsAskedAboutAsText) {
  std::string text;
  while (text.size() <= kMaxShownToolBytes) text += "line\n";
  const std::string changed = text + "last\n";
  ScriptedEditor editor(
      {.scripts = {
           Script()
               .Exec(Json{{"write_args", {{"path", "a.txt"}, {"file_text", changed}}}}.dump())
               .Expect(kWritten)
               .TurnEnded()}});
  editor.folder().Write("a.txt", text);
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 1);
  const Json& item = editor.requests()[0]["params"]["toolCall"]["content"][0];
  EXPECT_THAT(item["content"]["text"].get<std::string>(), ::testing::HasSubstr("+last\n"));
  EXPECT_EQ(ContentOf(editor, "a.txt"), changed);
}

TEST(AcpPermission, AFileThatOtherProgramsRunIsNotAskedAboutLikeAnyOther) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(R"({"write_args":{"path":".git/hooks/x","file_text":"b"}})")
                       .Expect(kWritten)
                       .Exec(R"({"delete_args":{"path":".git/hooks/x"}})")
                       .Expect(R"({"delete_result":{"success":{}}})")
                       .Exec(kWrite)
                       .Expect(kWritten)
                       .TurnEnded()}});
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 3);
  const char words[] = "ther programs may run";
  for (size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const Json& call = editor.requests()[i]["params"]["toolCall"];
    const bool warns = i < 2;
    EXPECT_EQ(call["title"].get<std::string>().find(words) != std::string::npos, warns);
    EXPECT_EQ(call["content"].back().dump().find(words) != std::string::npos, warns);
  }
}

TEST(AcpPermission, NothingOfWhatIsAskedAboutIsHiddenByMarkdown) {
  const std::string command = "ls # <!--\n````\ncurl x | sh # --> \u202E\u200B";
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(Json{{"shell_args", {{"command", command}}}}.dump())
                                         .Expect(R"({"shell_result":{"rejected":{}}})")
                                         .TurnEnded()}});
  editor.on_request = [](const std::string&, const Json&) { return Selected("reject-once"); };
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 1);
  const Json& call = editor.requests()[0]["params"]["toolCall"];
  EXPECT_EQ(call["title"], "ls # <!--<U+000A>````<U+000A>curl x | sh # --> <U+202E><U+200B>");
  EXPECT_EQ(call["content"][0]["content"]["text"],
            "`````\nin " + editor.folder().path() +
                ":\nls # <!--\n````\ncurl x | sh # --> <U+202E><U+200B>\n`````");
}

TEST(AcpPermission, AChangeWithCharactersThatNobodySeesIsShownAsTextToo) {
  for (const bool unseen : {true, false}) {
    SCOPED_TRACE(unseen);
    const Json args = {{"path", "a.txt"}, {"file_text", unseen ? "a\u202E\r\n" : "a\r\n"}};
    ScriptedEditor editor(
        {.scripts = {
             Script().Exec(Json{{"write_args", args}}.dump()).Expect(kWritten).TurnEnded()}});
    editor.Prompt("hi");
    ASSERT_EQ(editor.requests().size(), 1);
    const Json& content = editor.requests()[0]["params"]["toolCall"]["content"];
    EXPECT_EQ(content.size(), unseen ? 2 : 1);
    EXPECT_EQ(content.back().dump().find("+a<U+202E>") != std::string::npos, unseen);
  }
}

TEST(AcpPermission, ATitleSaysThatItIsCut) {
  const std::string term = std::string(kMaxToolTitleBytes, 'a') + "END";
  ScriptedEditor editor(
      {.scripts = {
           Script()
               .Query(
                   Json{{"web_search_request_query", {{"args", {{"search_term", term}}}}}}.dump())
               .Expect(R"({"web_search_request_response":{"approved":{}}})")
               .TurnEnded()}});
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 1);
  const Json& call = editor.requests()[0]["params"]["toolCall"];
  EXPECT_THAT(call["title"].get<std::string>(),
              ::testing::EndsWith("aaa... (cut here; all of it is below)"));
  EXPECT_THAT(call["content"][0]["content"]["text"].get<std::string>(),
              ::testing::HasSubstr("aaaEND\n```"));
}

TEST(AcpPermission, APlanThatCannotBeShownWholeIsRefused) {
  const std::string plan(kMaxShownToolBytes + 1, 'a');
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Query(Json{{"create_plan_request_query",
                                    {{"args", {{"name", "N"}, {"plan", plan}}}}}}
                                  .dump())
                       .Expect(R"({"create_plan_request_response":{"result":{"error":{}}}})")
                       .TurnEnded()}});
  editor.Prompt("hi");
  EXPECT_TRUE(editor.requests().empty());
}

TEST(AcpPermission, AModeThatIsSetDuringAQuestionHolds) {
  ScriptedEditor editor({.scripts = {Script().Exec(kWrite).Expect(kWriteRejected).TurnEnded(),
                                     Script()
                                         .Exec(R"({"shell_args":{"command":"touch made"}})")
                                         .Expect(R"({"shell_result":{"rejected":{}}})")
                                         .TurnEnded()}});
  const auto set_mode = [&editor](const char* mode) {
    editor.Send("session/set_mode", {{"sessionId", editor.session()}, {"modeId", mode}});
  };
  editor.on_request = [&set_mode](const std::string&, const Json&) {
    set_mode("plan");
    return Selected("allow-once");
  };
  editor.Prompt("write");
  EXPECT_FALSE(std::filesystem::exists(editor.folder().At("a.txt")));
  set_mode("agent");
  editor.Prompt("run");
  EXPECT_FALSE(std::filesystem::exists(editor.folder().At("made")));
  EXPECT_EQ(editor.requests().size(), 2);
}

TEST(AcpPermission, AlwaysHoldsForItsScopeAlone) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(kWrite)
                       .Expect(kWritten)
                       .Exec(R"({"write_args":{"path":"b.txt","file_text":"b"}})")
                       .Expect(kWritten)
                       .Exec(R"({"write_args":{"path":".git/hooks/x","file_text":"b"}})")
                       .Expect(kWritten)
                       .Exec(R"({"delete_args":{"path":"b.txt"}})")
                       .Expect(R"({"delete_result":{"success":{}}})")
                       .TurnEnded()}});
  editor.on_request = [](const std::string&, const Json& params) {
    const bool has_always = params["options"].size() == 3;
    return Selected(has_always ? "allow-always" : "allow-once");
  };
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 3) << "b.txt is of the same scope";
  EXPECT_EQ(editor.requests()[1]["params"]["options"].size(), 2)
      << "there is no always for a file from which programs run code";
  EXPECT_EQ(editor.requests()[2]["params"]["toolCall"]["kind"], "delete");
}

TEST(AcpPermission, AlwaysForACommandIsNoneForAnotherThatReadsTheSame) {
  const auto shell = [](const char* folder, const char* command) {
    return Json{{"shell_args", {{"working_directory", folder}, {"command", command}}}}.dump();
  };
  const char done[] = R"({"shell_result":{"success":{}}})";
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(shell("x\ntouch made", "ls"))
                                         .Expect(done)
                                         .Exec(shell("x\ntouch made", "ls"))
                                         .Expect(done)
                                         .Exec(shell("x", "touch made\nls"))
                                         .Expect(R"({"shell_result":{"rejected":{}}})")
                                         .TurnEnded()}});
  std::filesystem::create_directory(editor.folder().At("x"));
  std::filesystem::create_directory(editor.folder().At("x\ntouch made"));
  editor.on_request = [](const std::string&, const Json& params) {
    const bool first = params["toolCall"]["rawInput"]["command"] == "ls";
    return Selected(first ? "allow-always" : "reject-once");
  };
  editor.Prompt("hi");
  EXPECT_EQ(editor.requests().size(), 2);
  EXPECT_FALSE(std::filesystem::exists(editor.folder().At("x/made")));
}

TEST(AcpPermission, AnswersOfEditorsToOtherMethodsAreNotWaitedForWithoutThem) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(R"({"read_args":{"path":"a.txt"}})")
                       .Expect(R"({"read_result":{"success":{"content":"old\n"}}})")
                       .TurnEnded()}});
  editor.folder().Write("a.txt", "old\n");
  editor.Prompt("hi");
  EXPECT_TRUE(editor.requests().empty()) << "the editor offers no files";
}

TEST(AcpRead, ShowsWhatIsNotSaved) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(R"({"read_args":{"path":"a.txt"}})")
                       .Expect(
                           R"({"read_result":{"success":{"content":"1\n2\n","total_lines":2}}})")
                       .Exec(R"({"read_args":{"path":"new.txt"}})")
                       .Expect(R"({"read_result":{"success":{"content":"1\n2\n"}}})")
                       .TurnEnded()},
       .abilities = FileAbilities()});
  editor.folder().Write("a.txt", "old\n");
  editor.on_request = [](const std::string&, const Json&) { return Json{{"content", "1\n2\n"}}; };
  editor.Prompt("hi");
  EXPECT_EQ(editor.requests()[0]["params"]["path"], editor.folder().At("a.txt"));
}

TEST(AcpRead, FallsBackToTheDisk) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(R"({"read_args":{"path":"a.txt"}})")
                       .Expect(R"({"read_result":{"success":{"content":"old\n"}}})")
                       .Exec(R"({"read_args":{"path":"none.txt"}})")
                       .Expect(R"({"read_result":{"file_not_found":{}}})")
                       .TurnEnded()},
       .abilities = FileAbilities()});
  editor.folder().Write("a.txt", "old\n");
  editor.Prompt("hi");  // the editor answers with errors
  EXPECT_EQ(editor.requests().size(), 2);
}

TEST(AcpRead, NeverAsksForPathsOutsideOrForBytes) {
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(R"({"read_args":{"path":"/etc/passwd"}})")
                                         .Expect(R"({"read_result":{"rejected":{}}})")
                                         .Exec(R"({"read_args":{"path":"a.bin"}})")
                                         .Expect(R"({"read_result":{"success":{}}})")
                                         .TurnEnded()},
                         .abilities = FileAbilities()});
  editor.folder().Write("a.bin", std::string("\xff\0\xfe", 3));
  editor.Prompt("hi");
  EXPECT_TRUE(editor.requests().empty());
}

TEST(AcpShell, RunsByItselfWithoutTerminals) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(kShell)
                       .Expect(R"({"shell_result":{"success":{"stdout":"hi\n"}}})")
                       .TurnEnded()}});
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 1);
  EXPECT_EQ(editor.requests()[0]["params"]["toolCall"]["kind"], "execute");
  EXPECT_EQ(editor.requests()[0]["params"]["toolCall"]["rawInput"]["command"], "echo hi");
}

TEST(AcpShell, ACallOfItsOwnEndsWithWhatTheCommandHasPrinted) {
  for (const char* kind : {"shell_args", "shell_stream_args"}) {
    const auto exec = [kind](const std::string& command) {
      return Json::object({{kind, {{"command", command}, {"timeout", 20'000}}}}).dump();
    };
    ScriptedEditor editor({.scripts = {Script()
                                           .Exec(exec("echo LOCAL-$((40+2)); echo err >&2"))
                                           .Exec(exec("echo no; exit 3"))
                                           .TurnEnded()}});
    editor.Prompt("hi");
    const std::vector<Json> updates = editor.UpdatesOf("tool_call_update");
    ASSERT_EQ(updates.size(), 2);
    EXPECT_EQ(updates[0]["status"], "completed");
    const std::string text = updates[0]["content"][0]["content"]["text"];
    EXPECT_THAT(
        text, ::testing::AllOf(::testing::HasSubstr("LOCAL-42\n"), ::testing::HasSubstr("err\n")));
    EXPECT_EQ(updates[1]["status"], "failed");
    EXPECT_EQ(updates[1]["content"][0]["content"]["text"], "no\n");
  }
}

TEST(AcpShell, ShowsWhatIsAllowedAndNamesNoCall) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(R"({"shell_args":{"command":"echo shown"}})")
                       .Exec(R"({"shell_stream_args":{"command":"exit 3"}})")
                       .Exec(R"({"background_shell_spawn_args":{"command":"touch made"}})")
                       .Exec(R"({"delete_args":{"path":"a.txt"}})")
                       .Exec(R"({"delete_args":{"path":"none"}})")
                       .ToolCallStarted(StartedCall("c1", "shell", "echo told"))
                       .Exec(R"({"shell_args":{"command":"echo told"}})")
                       .TurnEnded()},
       .allow = {.write = true, .shell = true}});
  editor.folder().Write("a.txt", "old\n");
  editor.Prompt("hi");
  EXPECT_TRUE(editor.requests().empty());
  const std::vector<Json> calls = editor.UpdatesOf("tool_call");
  const std::vector<Json> ends = editor.UpdatesOf("tool_call_update");
  const auto title = [](const Json& call) { return call["title"].get<std::string>(); };
  std::vector<std::string> titles;
  std::transform(calls.begin(), calls.end(), std::back_inserter(titles), title);
  EXPECT_THAT(titles, ::testing::ElementsAre("echo shown", "exit 3", "touch made",
                                             ::testing::StartsWith("delete "), "shell echo told"));
  ASSERT_EQ(ends.size(), 5) << "the last is the call of the agent, which its turn ends";
  const char* statuses[] = {"completed", "failed", "completed", "completed"};
  for (size_t at = 0; at < std::size(statuses); ++at) {
    EXPECT_EQ(ends[at]["toolCallId"], calls[at]["toolCallId"]);
    EXPECT_EQ(ends[at]["status"], statuses[at]) << at;
  }
  EXPECT_EQ(ends[0]["content"][0]["content"]["text"], "shown\n");
}

TEST(AcpShell, RunsInATerminalOfTheEditor) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .ToolCallStarted(StartedCall("c1", "shell", "echo hi"))
                       .Exec(kShell)
                       .Expect(R"({"shell_result":{"failure":{"stdout":"seen","exit_code":3}}})")
                       .TurnEnded()},
       .allow = {.shell = true},
       .abilities = {{"terminal", true}}});
  editor.on_request = [](const std::string& method, const Json&) -> std::optional<Json> {
    if (method == "terminal/create") return Json{{"terminalId", "t1"}};
    if (method == "terminal/wait_for_exit") return Json{{"exitCode", 3}};
    if (method == "terminal/output") return Json{{"output", "seen"}, {"truncated", false}};
    return Json::object();
  };
  editor.Prompt("hi");
  EXPECT_EQ(MethodsOf(editor),
            (std::vector<std::string>{"terminal/create", "terminal/wait_for_exit",
                                      "terminal/output", "terminal/release"}));
  const Json& create = editor.requests()[0]["params"];
  EXPECT_EQ(create["command"], "/bin/sh");
  EXPECT_EQ(create["args"].front(), "-c");
  cursorwire::Environment told;
  (*cursorwire::LocalExecHandler::Create(editor.folder().path()))->Describe(told);
  EXPECT_EQ(create["args"][3], told.shell) << "as the agent is told";
  EXPECT_EQ(create["args"].back(), "echo hi");
  EXPECT_EQ(create["cwd"], editor.folder().path());
  EXPECT_GT(create["outputByteLimit"], 0);
  const Json shown = editor.UpdatesOf("tool_call_update").at(0);
  EXPECT_EQ(shown["toolCallId"], "c1");
  EXPECT_EQ(shown["content"][0], Json({{"type", "terminal"}, {"terminalId", "t1"}}));
}

// A word for a shell.
std::string Quoted(std::string word) {
  for (size_t at = 0; (at = word.find('\'', at)) != word.npos; at += 4)
    word.replace(at, 1, "'\\''");
  return "'" + word + "'";
}

TEST(AcpShell, SeesNoSecretOfTheEditorInATerminal) {
  // Nor is it read as an option of the shell.
  const char command[] =
      "-u 2>&1; echo $SSH_AUTH_SOCK,$SECRET,$HOME,${TMPDIR-none},$TERM,$CC,$WANTED,$SET";
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(Json{{"shell_args", {{"command", command}}}}.dump())
                                         .Expect(R"({"shell_result":{"success":{}}})")
                                         .TurnEnded()},
                         .allow = {.shell = true},
                         .variables = {"WANTED", "NOT_SET", "SET=a 'b' $HOME"},
                         .abilities = {{"terminal", true}}});
  std::string printed;
  editor.on_request = [&printed](const std::string& method,
                                 const Json& params) -> std::optional<Json> {
    if (method == "terminal/wait_for_exit") return Json{{"exitCode", 0}};
    if (method != "terminal/create") return Json{{"output", ""}};
    std::string line =
        "env -i SSH_AUTH_SOCK=/s SECRET=x HOME='/a b' TERM=t CC=clang WANTED='c d' "
        "PATH=\"$PATH\" " +
        params["command"].get<std::string>();
    for (const Json& arg : params["args"]) line += " " + Quoted(arg.get<std::string>());
    FILE* const output = ::popen(line.c_str(), "r");
    char buffer[512];
    while (std::fgets(buffer, sizeof(buffer), output) != nullptr) printed += buffer;
    ::pclose(output);
    return Json{{"terminalId", "t1"}};
  };
  editor.Prompt("hi");
  EXPECT_THAT(printed, ::testing::HasSubstr("-u"));
  EXPECT_THAT(printed, ::testing::EndsWith("\n,,/a b,none,t,clang,c d,a 'b' $HOME\n"));
}

TEST(AcpShell, ACancelKillsAndReleasesTheTerminalBeforeTheAnswer) {
  ScriptedEditor editor({.scripts = {Script().Exec(kShell).NoAwait().ExpectCancel()},
                         .allow = {.shell = true},
                         .abilities = {{"terminal", true}}});
  editor.on_request = [](const std::string& method, const Json&) -> std::optional<Json> {
    if (method == "terminal/create") return Json{{"terminalId", "t1"}};
    if (method == "terminal/wait_for_exit") return std::nullopt;
    return Json::object();
  };
  const int prompt = editor.SendPrompt("hi");
  editor.AwaitRequest("terminal/wait_for_exit");
  editor.Clear();
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});
  EXPECT_EQ(editor.Await(prompt)["result"]["stopReason"], "cancelled");
  EXPECT_EQ(MethodsOf(editor),
            (std::vector<std::string>{"$/cancel_request", "terminal/kill", "terminal/release"}));
}

TEST(AcpShell, ATerminalThatIsMadeTooLateIsKilledAndReleased) {
  ScriptedEditor editor({.scripts = {Script().Exec(kShell).NoAwait().ExpectCancel()},
                         .allow = {.shell = true},
                         .abilities = {{"terminal", true}}});
  editor.on_request = [](const std::string& method, const Json&) -> std::optional<Json> {
    if (method == "terminal/create") return std::nullopt;
    return Json::object();
  };
  const int prompt = editor.SendPrompt("hi");
  const Json create = editor.AwaitRequest("terminal/create");
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});
  EXPECT_EQ(editor.Await(prompt)["result"]["stopReason"], "cancelled");
  editor.Clear();
  editor.Respond(create["id"], {{"terminalId", "t9"}});
  const Json release = editor.AwaitRequest("terminal/release");
  EXPECT_EQ(MethodsOf(editor), (std::vector<std::string>{"terminal/kill", "terminal/release"}));
  EXPECT_EQ(MemberOf(release, "params"),
            Json({{"sessionId", editor.session()}, {"terminalId", "t9"}}));
}

TEST(AcpShell, ATimeoutKillsAndTellsWhatWasPrinted) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(R"({"shell_args":{"command":"sleep 9","timeout":1}})")
                       .Expect(R"({"shell_result":{"failure":{"stdout":"so far","aborted":true}}})")
                       .TurnEnded()},
       .allow = {.shell = true},
       .abilities = {{"terminal", true}}});
  editor.on_request = [](const std::string& method, const Json&) -> std::optional<Json> {
    if (method == "terminal/create") return Json{{"terminalId", "t1"}};
    if (method == "terminal/wait_for_exit") return std::nullopt;
    return Json{{"output", "so far"}};
  };
  editor.Prompt("hi");
  EXPECT_EQ(MethodsOf(editor), (std::vector<std::string>{
                                   "terminal/create", "terminal/wait_for_exit", "$/cancel_request",
                                   "terminal/kill", "terminal/output", "terminal/release"}));
}

TEST(AcpShell, ABrokenTerminalIsAFailureAndNoCommandOfOurs) {
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(R"({"shell_args":{"command":"touch made"}})")
                                         .Expect(R"({"shell_result":{"spawn_error":{}}})")
                                         .TurnEnded()},
                         .allow = {.shell = true},
                         .abilities = {{"terminal", true}}});
  editor.on_request = [](const std::string&, const Json&) { return Json::object(); };
  editor.Prompt("hi");
  EXPECT_FALSE(std::filesystem::exists(editor.folder().At("made")));
}

TEST(AcpQueries, WebSearchesAndPlansAreQuestions) {
  ScriptedEditor editor(
      {.scripts = {
           Script()
               .Query(R"({"web_search_request_query":{"args":{"search_term":"cats"}}})")
               .Expect(R"({"web_search_request_response":{"approved":{}}})")
               .Query(R"({"create_plan_request_query":{"args":{"name":"N","plan":"# Plan"}}})")
               .Expect(R"({"create_plan_request_response":{"result":{"success":{}}}})")
               .TurnEnded()}});
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 2);
  const Json& search = editor.requests()[0]["params"];
  EXPECT_EQ(search["toolCall"]["kind"], "fetch");
  EXPECT_THAT(search["toolCall"]["title"].get<std::string>(), ::testing::HasSubstr("cats"));
  EXPECT_EQ(search["options"].size(), 2);
  const Json& plan = editor.requests()[1]["params"];
  EXPECT_EQ(plan["toolCall"]["content"][0]["content"]["text"], "```\n# Plan\n```");
  EXPECT_EQ(plan["options"].size(), 2);
}

const char kQuestion[] = R"({"ask_question_interaction_query":{"args":{"title":"T","questions":[
    {"id":"q","prompt":"Which?","options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}]}}})";

TEST(AcpQueries, QuestionsAreAForm) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Query(kQuestion)
                       .Expect(R"({"ask_question_interaction_response":{"result":{"success":{
                           "answers":[{"question_id":"q","selected_option_ids":["b"]}]}}}})")
                       .TurnEnded()},
       .abilities = {{"elicitation", {{"form", Json::object()}}}}});
  editor.on_request = [](const std::string&, const Json&) {
    return Json{{"action", "accept"}, {"content", {{"q", "b"}}}};
  };
  editor.Prompt("hi");
  ASSERT_EQ(MethodsOf(editor), std::vector<std::string>{"elicitation/create"});
  const Json& schema = editor.requests()[0]["params"]["requestedSchema"];
  EXPECT_EQ(schema["properties"]["q"]["oneOf"][1], Json({{"const", "b"}, {"title", "B"}}));
}

TEST(AcpQueries, QuestionsAreRefusedWithoutForms) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Query(kQuestion)
                       .Expect(R"({"ask_question_interaction_response":{"result":{"error":{}}}})")
                       .TurnEnded()}});
  editor.Prompt("hi");
  EXPECT_TRUE(editor.requests().empty());
}

// Prompts in a session with the server of these tests, and returns why the turn ended.
std::string PromptWithServer(ScriptedEditor& editor, const std::string& name = "fake") {
  const Json opened = editor.Ask(
      "session/new", {{"cwd", editor.folder().path()},
                      {"mcpServers", Json::array({{{"name", name},
                                                   {"command", CURSORWIRE_FAKE_MCP_SERVER},
                                                   {"args", Json::array()},
                                                   {"env", Json::array()}}})}});
  const Json answer =
      editor.Ask("session/prompt", {{"sessionId", opened["result"]["sessionId"]},
                                    {"prompt", Json::array({{{"type", "text"}, {"text", "hi"}}})}});
  return TextOf(MemberOf(answer, "result"), "stopReason");
}

TEST(AcpServers, ToolsOfTheEditorsServersAreAskedAbout) {
  ScriptedEditor editor({.scripts = {Script()
                                         .CallTool("fake_echo", R"({"a":1})")
                                         .ExpectToolResult(R"({"success":{"is_error":false}})")
                                         .TurnEnded()}});
  EXPECT_EQ(PromptWithServer(editor), "end_turn");
  ASSERT_EQ(editor.requests().size(), 1);
  const Json& question = editor.requests()[0]["params"];
  EXPECT_EQ(question["toolCall"]["title"], "fake: echo");
  EXPECT_EQ(question["toolCall"]["content"][0]["content"]["text"], "```\n{\"a\":1}\n```");
}

TEST(AcpServers, TheReadingOfAResourceIsAskedAbout) {
  const auto read = [](const char* uri) {
    return R"({"read_mcp_resource_exec_args":{"server":"fake","uri":")" + std::string(uri) +
           R"("}})";
  };
  ScriptedEditor editor(
      {.scripts = {
           Script()
               .Exec(R"({"list_mcp_resources_exec_args":{}})")
               .Expect(R"({"list_mcp_resources_exec_result":{"success":{}}})")
               .Exec(read("fake://notes"))
               .Expect(R"({"read_mcp_resource_exec_result":{"success":{"text":"Buy milk."}}})")
               .Exec(read("fake://notes"))
               .Expect(R"({"read_mcp_resource_exec_result":{"success":{"text":"Buy milk."}}})")
               .Exec(read("fake://logo"))
               .Expect(R"({"read_mcp_resource_exec_result":{"rejected":{}}})")
               .TurnEnded()}});
  editor.on_request = [](const std::string&, const Json& params) {
    const bool notes = params["toolCall"]["title"] == "fake: fake://notes";
    return Selected(notes ? "allow-always" : "reject-once");
  };
  EXPECT_EQ(PromptWithServer(editor), "end_turn");
  ASSERT_EQ(editor.requests().size(), 2);
  const Json& call = editor.requests()[0]["params"]["toolCall"];
  EXPECT_EQ(call["kind"], "read");
  EXPECT_EQ(call["rawInput"], Json({{"uri", "fake://notes"}}));
  EXPECT_EQ(editor.requests()[1]["params"]["toolCall"]["title"], "fake: fake://logo");
}

TEST(AcpServers, AReadingBelongsToTheOnlyCallThatIsUnderWay) {
  const auto call = [](const std::string& id, const std::string& server) {
    const std::string uri = "fake://notes";
    const std::string args = std::string("\x0a") + static_cast<char>(server.size()) + server +
                             "\x12" + static_cast<char>(uri.size()) + uri;
    const std::string tool = std::string("\x0a") + static_cast<char>(args.size()) + args;
    return WriteJson({{"call_id", id},
                      {"tool_call", {{"read_mcp_resource_tool_call", absl::Base64Escape(tool)}}}});
  };
  const auto read = [](const std::string& server) {
    return WriteJson(
        {{"read_mcp_resource_exec_args", {{"server", server}, {"uri", "fake://notes"}}}});
  };
  // The service names no call with a reading: of several, nobody knows which one wants it.
  for (const bool is_only_one : {true, false}) {
    SCOPED_TRACE(is_only_one);
    Script script = Script().ToolCallStarted(call("ours", "my_server"));
    if (!is_only_one) script.ToolCallStarted(call("other", "elsewhere"));
    script.Exec(read("my_server"))
        .Expect(R"({"read_mcp_resource_exec_result":{"success":{"text":"Buy milk."}}})")
        .TurnEnded();
    ScriptedEditor editor({.scripts = {script}});
    EXPECT_EQ(PromptWithServer(editor, "my_server"), "end_turn");
    ASSERT_EQ(editor.requests().size(), 1);
    const Json& asked = editor.requests()[0]["params"]["toolCall"];
    EXPECT_EQ(asked["toolCallId"] == "ours", is_only_one);
    EXPECT_NE(asked["toolCallId"], "other");
  }
}

TEST(AcpServers, ACallThatCannotBeShownWholeIsRefusedAlsoAfterAlways) {
  const std::string large = Json{{"a", std::string(kMaxShownToolBytes, 'a')}}.dump();
  ScriptedEditor editor({.scripts = {Script()
                                         .CallTool("fake_echo", R"({"a":1})")
                                         .ExpectToolResult(R"({"success":{"is_error":false}})")
                                         .CallTool("fake_echo", large)
                                         .ExpectToolResult(R"({"rejected":{}})")
                                         .TurnEnded()}});
  editor.on_request = [](const std::string&, const Json&) { return Selected("allow-always"); };
  EXPECT_EQ(PromptWithServer(editor), "end_turn");
  EXPECT_EQ(editor.requests().size(), 1);
}

TEST(AcpServers, AModeThatIsSetDuringAQuestionHolds) {
  ScriptedEditor editor({.scripts = {Script()
                                         .CallTool("fake_echo", R"({"a":1})")
                                         .ExpectToolResult(R"({"rejected":{}})")
                                         .TurnEnded()}});
  editor.on_request = [&editor](const std::string&, const Json& params) {
    editor.Send("session/set_mode", {{"sessionId", params["sessionId"]}, {"modeId", "ask"}});
    return Selected("allow-once");
  };
  EXPECT_EQ(PromptWithServer(editor), "end_turn");
  EXPECT_EQ(editor.requests().size(), 1);
}

TEST(AcpServers, OneThatComesLateIsOfferedThenAndTold) {
  ScriptedEditor editor(
      {.scripts =
           {Script().CallTool("fake_echo", "{}").ExpectToolResult(R"({"$any":true})").TurnEnded()},
       .abilities = {{"session", {{"notices", Json::object()}}}}});
  const Json opened = editor.Ask(
      "session/new",
      {{"cwd", editor.folder().path()},
       {"mcpServers", Json::array({{{"name", "fake"},
                                    {"command", CURSORWIRE_FAKE_MCP_SERVER},
                                    {"args", Json::array({"after", editor.folder().At("there")})},
                                    {"env", Json::array()}}})}});
  const auto prompt = [&] {
    editor.Ask("session/prompt", {{"sessionId", opened["result"]["sessionId"]},
                                  {"prompt", Json::array({{{"type", "text"}, {"text", "hi"}}})}});
  };
  prompt();
  EXPECT_TRUE(editor.requests().empty());
  ASSERT_EQ(editor.UpdatesOf("notice").size(), 1);
  EXPECT_THAT(editor.UpdatesOf("notice")[0]["title"].get<std::string>(),
              ::testing::HasSubstr("it is tried again"));
  editor.folder().Write("there", "");
  // At a turn, or in between. Calls of tools that are offered are questions.
  while (editor.requests().empty()) prompt();
  ASSERT_EQ(editor.UpdatesOf("notice").size(), 2);
  EXPECT_THAT(editor.UpdatesOf("notice")[1]["title"].get<std::string>(),
              ::testing::HasSubstr("server fake: it is ready"));
}

TEST(AcpServers, ABrokenOneIsToldToAnEditorWithoutNoticesToo) {
  ScriptedEditor editor({.scripts = {Script().Text("fine").TurnEnded()}});
  const Json opened = editor.Ask(
      "session/new",
      {{"cwd", editor.folder().path()},
       {"mcpServers", Json::array({Json::object({{"name", "gone"}, {"command", "/no/such"}})})}});
  editor.Ask("session/prompt",
             {{"sessionId", opened["result"]["sessionId"]},
              {"prompt", Json::array({Json::object({{"type", "text"}, {"text", "hi"}})})}});
  const std::vector<Json> thoughts = editor.UpdatesOf("agent_thought_chunk");
  ASSERT_EQ(thoughts.size(), 1);
  EXPECT_THAT(thoughts[0]["content"]["text"].get<std::string>(),
              ::testing::HasSubstr("server gone: "));
}

TEST(AcpServers, ABrokenOneIsToldAndCostsItsToolsOnly) {
  ScriptedEditor editor({.scripts = {Script().Text("fine").TurnEnded()},
                         .abilities = {{"session", {{"notices", Json::object()}}}}});
  const Json opened = editor.Ask(
      "session/new",
      {{"cwd", editor.folder().path()},
       {"mcpServers",
        Json::array({{{"name", "gone"}, {"command", "/no/such"}},
                     {{"type", "http"}, {"name", "web"}, {"url", "http://127.0.0.1:1"}},
                     {{"type", "sse"}, {"name", "old"}, {"url", "http://127.0.0.1:1"}}})}});
  const Json answer =
      editor.Ask("session/prompt", {{"sessionId", opened["result"]["sessionId"]},
                                    {"prompt", Json::array({{{"type", "text"}, {"text", "hi"}}})}});
  EXPECT_EQ(answer["result"]["stopReason"], "end_turn");
  EXPECT_EQ(editor.Said(), "fine");
  const std::vector<Json> notices = editor.UpdatesOf("notice");
  ASSERT_EQ(notices.size(), 3);
  EXPECT_THAT(notices[0]["title"].get<std::string>(), ::testing::HasSubstr("gone"));
  // Nobody listens there; or it is a build without libcurl.
  EXPECT_THAT(notices[1]["title"].get<std::string>(), ::testing::HasSubstr("web"));
  EXPECT_THAT(notices[2]["title"].get<std::string>(), ::testing::HasSubstr("HTTP+SSE"));
}

}  // namespace
}  // namespace cursor_acp::test
