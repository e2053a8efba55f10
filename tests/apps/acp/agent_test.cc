#include "acp/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "apps/acp/scripted_editor.h"

// Each row of the protocol, as an editor sees it.
namespace cursor_acp::test {
namespace {

using cursorwire::Script;

int64_t ErrorOf(const Json& answer) {
  return answer.contains("error") ? answer["error"]["code"].get<int64_t>() : 0;
}
std::string MessageOfError(const Json& answer) {
  return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
}
std::string StopReasonOf(const Json& answer) {
  return answer.contains("result") ? TextOf(answer["result"], "stopReason") : answer.dump();
}

TEST(AcpInitialize, AnswersVersionOneWhateverIsAsked) {
  ScriptedEditor editor({.initializes = false});
  for (const int version : {0, 1, 2, 99}) {
    const Json result = editor.Ask("initialize", {{"protocolVersion", version}})["result"];
    EXPECT_EQ(result["protocolVersion"], 1);
    EXPECT_EQ(result["agentCapabilities"]["loadSession"], true);
    EXPECT_EQ(result["agentCapabilities"]["promptCapabilities"],
              Json({{"image", true}, {"embeddedContext", true}}));
    for (const char* ability : {"list", "resume", "close", "delete"}) {
      EXPECT_TRUE(result["agentCapabilities"]["sessionCapabilities"][ability].is_object());
    }
    EXPECT_EQ(result["authMethods"][0]["id"], "cursor_login");
    EXPECT_EQ(result["agentInfo"]["name"], "cursorwire");
  }
}

TEST(AcpInitialize, RefusesTheVersionOfAnotherProtocol) {
  ScriptedEditor editor({.initializes = false});
  const Json answer = editor.Ask("initialize", {{"protocolVersion", "2025-11-25"}});
  EXPECT_EQ(ErrorOf(answer), -32602);
  EXPECT_THAT(MessageOfError(answer), ::testing::HasSubstr("protocolVersion"));
}

TEST(AcpInitialize, MustComeFirst) {
  ScriptedEditor editor({.initializes = false});
  EXPECT_EQ(ErrorOf(editor.Ask("session/new", {{"cwd", "/"}})), -32600);
}

TEST(AcpMessages, BrokenOnesAreAnsweredAndHarmless) {
  ScriptedEditor editor({.initializes = false});
  const auto error_of_line = [&editor](const std::string& line) {
    editor.SendLine(line);
    const Json answer = editor.Next();
    EXPECT_TRUE(answer["id"].is_null());
    return ErrorOf(answer);
  };
  EXPECT_EQ(error_of_line("what?"), -32700);
  EXPECT_EQ(error_of_line("\"\xff\""), -32700);
  EXPECT_EQ(error_of_line("[]"), -32600);
  EXPECT_EQ(error_of_line("{}"), -32600);
  EXPECT_EQ(error_of_line(std::string(200, '[')), -32600);
  editor.SendLine("");
  editor.SendLine(R"({"jsonrpc":"2.0","id":77,"result":{}})");  // of no request
  editor.Notify("what/ever", {});
  editor.Notify("session/cancel", {{"sessionId", "none"}});
  const Json unknown = editor.Ask("session/fork", {});
  EXPECT_EQ(ErrorOf(unknown), -32601);
  EXPECT_THAT(MessageOfError(unknown), ::testing::HasSubstr("session/fork"));
  EXPECT_TRUE(editor.Ask("initialize", {{"protocolVersion", 1}}).contains("result"));
}

TEST(AcpNewSession, BadParamsAreNamed) {
  ScriptedEditor editor({});
  const struct {
    const char* name;
    Json params;
    const char* member;
  } cases[] = {{"no folder", Json::object(), "cwd"},
               {"a folder that is no text", {{"cwd", 1}}, "cwd"},
               {"a relative folder", {{"cwd", "a"}}, "cwd"},
               {"a folder with a NUL", {{"cwd", std::string("/\0x", 3)}}, "cwd"},
               {"no such folder", {{"cwd", "/there/is/none"}}, "cwd"},
               {"servers that are no list", {{"cwd", "/"}, {"mcpServers", 1}}, "mcpServers"},
               {"a server without a name",
                {{"cwd", "/"}, {"mcpServers", Json::array({{{"command", "x"}}})}},
                "mcpServers[0]: name"},
               {"a server without a command",
                {{"cwd", "/"}, {"mcpServers", Json::array({{{"name", "x"}}})}},
                "mcpServers[0]: command"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Json answer = editor.Ask("session/new", c.params);
    EXPECT_EQ(ErrorOf(answer), -32602);
    EXPECT_THAT(MessageOfError(answer), ::testing::HasSubstr(c.member));
  }
}

TEST(AcpNewSession, NothingComesBeforeItsAnswer) {
  ScriptedEditor editor({});
  editor.AwaitMessage([](const Json& message) { return message.contains("method"); });
  const int id = editor.Send("session/new", {{"cwd", editor.folder().path()}});
  const Json first = editor.Next();
  EXPECT_EQ(first["id"], id);
  const Json& result = first["result"];
  EXPECT_EQ(result["modes"]["currentModeId"], "agent");
  EXPECT_EQ(result["modes"]["availableModes"].size(), 4);
  EXPECT_EQ(result["configOptions"][0]["id"], "mode");
  EXPECT_EQ(result["configOptions"][1]["id"], "model");
  EXPECT_GT(result["configOptions"][1]["options"].size(), 1);
  const Json second = editor.Next();
  EXPECT_EQ(second["params"]["update"]["sessionUpdate"], "available_commands_update");
}

TEST(AcpLogin, IsAskedForWhereItIsMissing) {
  ScriptedEditor editor(
      {.login = absl::UnauthenticatedError("set CURSOR_ACCESS_TOKEN"), .initializes = false});
  EXPECT_TRUE(editor.Ask("initialize", {{"protocolVersion", 1}}).contains("result"));
  const Json answer = editor.Ask("session/new", {{"cwd", "/"}});
  EXPECT_EQ(ErrorOf(answer), -32000);
  EXPECT_THAT(MessageOfError(answer), ::testing::HasSubstr("CURSOR_ACCESS_TOKEN"));
  EXPECT_EQ(ErrorOf(editor.Ask("authenticate", {{"methodId", "cursor_login"}})), -32000);
}

TEST(AcpLogin, AuthenticateSucceedsWithOne) {
  ScriptedEditor editor({});
  EXPECT_EQ(editor.Ask("authenticate", {{"methodId", "cursor_login"}})["result"], Json::object());
  EXPECT_EQ(ErrorOf(editor.Ask("authenticate", {{"methodId", "other"}})), -32602);
}

TEST(AcpPrompt, StreamsTextAndThoughts) {
  ScriptedEditor editor({.scripts = {Script()
                                         .Thinking("Hm.")
                                         .Text("Hel")
                                         .Text("lo")
                                         .Thinking("And?")
                                         .Text("!")
                                         .TurnEnded()}});
  editor.Clear();
  EXPECT_EQ(StopReasonOf(editor.Prompt("hi")), "end_turn");
  EXPECT_EQ(editor.Said(), "Hello!");
  EXPECT_EQ(editor.UpdatesOf("agent_thought_chunk").size(), 2);
  EXPECT_TRUE(editor.UpdatesOf("user_message_chunk").empty()) << "the prompt is shown already";
  std::set<Json> ids;
  for (const char* kind : {"agent_message_chunk", "agent_thought_chunk"}) {
    for (const Json& chunk : editor.UpdatesOf(kind)) ids.insert(chunk["messageId"]);
  }
  EXPECT_EQ(ids.size(), 4) << "a message ends where another kind begins";
  const std::vector<Json> infos = editor.UpdatesOf("session_info_update");
  ASSERT_EQ(infos.size(), 1);
  EXPECT_EQ(infos[0]["title"], "hi");
}

TEST(AcpPrompt, LongTextsAreSplitInWholeCharacters) {
  std::string text;
  while (text.size() < 3 * kMaxTextPieceBytes) text += "\u00e4b\u20ac";
  ScriptedEditor editor({.scripts = {Script().Text(text).TurnEnded()}});
  editor.Prompt("hi");
  EXPECT_EQ(editor.Said(), text);
  EXPECT_GE(editor.UpdatesOf("agent_message_chunk").size(), 3);
}

TEST(AcpPrompt, ErrorsOfTheServiceHaveTheirCodes) {
  ScriptedEditor editor(
      {.scripts = {Script().Error("unauthenticated", "no"), Script().Error("not_found", "model"),
                   Script().Error("invalid_argument", "bad")}});
  EXPECT_EQ(ErrorOf(editor.Prompt("a")), -32000);
  const Json other = editor.Prompt("b");
  EXPECT_EQ(ErrorOf(other), -32603);
  EXPECT_EQ(other["error"]["data"]["code"], "not_found");
  EXPECT_EQ(ErrorOf(editor.Prompt("c")), -32603) << "it is not about the params";
}

TEST(AcpPrompt, BadParamsAreNamed) {
  ScriptedEditor editor({});
  EXPECT_EQ(ErrorOf(editor.Ask("session/prompt", {{"sessionId", "none"}})), -32002);
  const Json answer = editor.Ask("session/prompt", {{"sessionId", editor.session()}});
  EXPECT_EQ(ErrorOf(answer), -32602);
  EXPECT_THAT(MessageOfError(answer), ::testing::HasSubstr("prompt"));
}

TEST(AcpPrompt, ASecondOneWaits) {
  ScriptedEditor editor(
      {.scripts = {Script().Text("one").TurnEnded(), Script().Text("two").TurnEnded()}});
  const int first = editor.SendPrompt("1");
  const int second = editor.SendPrompt("2");
  EXPECT_EQ(StopReasonOf(editor.Await(first)), "end_turn");
  EXPECT_EQ(editor.Said(), "one");
  EXPECT_EQ(StopReasonOf(editor.Await(second)), "end_turn");
  EXPECT_EQ(editor.Said(), "onetwo");
}

TEST(AcpCancel, EndsATurnThatGoesOn) {
  ScriptedEditor editor({.scripts = {Script().Text("so far").ExpectCancel()}});
  const int prompt = editor.SendPrompt("hi");
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});
  EXPECT_EQ(StopReasonOf(editor.Await(prompt)), "cancelled");
}

TEST(AcpCancel, EndsPromptsThatWaitAndNoLaterOnes) {
  ScriptedEditor editor(
      {.scripts = {Script().Text("so far").ExpectCancel(), Script().Text("later").TurnEnded()}});
  const int first = editor.SendPrompt("1");
  const int second = editor.SendPrompt("2");
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});
  const int third = editor.SendPrompt("3");  // before the answers
  EXPECT_EQ(StopReasonOf(editor.Await(first)), "cancelled");
  EXPECT_EQ(StopReasonOf(editor.Await(second)), "cancelled");
  EXPECT_EQ(StopReasonOf(editor.Await(third)), "end_turn");
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});  // of nothing
  EXPECT_EQ(StopReasonOf(editor.Prompt("4")), "end_turn");
}

TEST(AcpCancel, ByTheIdOfTheRequest) {
  ScriptedEditor editor({.scripts = {Script().Text("so far").ExpectCancel()}});
  const int prompt = editor.SendPrompt("hi");
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  editor.Notify("$/cancel_request", {{"requestId", prompt}});
  EXPECT_EQ(StopReasonOf(editor.Await(prompt)), "cancelled");
}

TEST(AcpCancel, OfAPromptThatWaitsIsAnsweredAtOnce) {
  ScriptedEditor editor(
      {.scripts = {Script().Text("so far").ExpectCancel(), Script().Text("later").TurnEnded()}});
  const int first = editor.SendPrompt("1");
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  const int second = editor.SendPrompt("2");
  const int third = editor.SendPrompt("3");
  editor.Notify("$/cancel_request", {{"requestId", second}});
  EXPECT_EQ(StopReasonOf(editor.Await(second)), "cancelled") << "the first goes on";
  editor.Notify("$/cancel_request", {{"requestId", first}});
  EXPECT_EQ(StopReasonOf(editor.Await(first)), "cancelled");
  EXPECT_EQ(StopReasonOf(editor.Await(third)), "end_turn");
  EXPECT_EQ(editor.Said(), "so farlater");
}

TEST(AcpCancel, KeepsPromptsThatWaited) {
  ScriptedEditor editor(
      {.scripts = {Script().Text("so far").ExpectCancel(), Script().Text("later").TurnEnded()}});
  const Json params = {{"sessionId", editor.session()}, {"cwd", editor.folder().path()}};
  const int first = editor.SendPrompt("1");
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  const int second = editor.SendPrompt("2");
  const int third = editor.SendPrompt("/undo");
  const int fourth = editor.SendPrompt("4");
  editor.Notify("$/cancel_request", {{"requestId", second}});
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});
  for (const int prompt : {second, first, third, fourth}) {  // in the order of their answers
    EXPECT_EQ(StopReasonOf(editor.Await(prompt)), "cancelled");
  }
  EXPECT_EQ(StopReasonOf(editor.Prompt("5")), "end_turn");
  editor.Clear();
  editor.Ask("session/load", params);
  std::vector<std::string> shown;
  for (const Json& update : editor.UpdatesOf("user_message_chunk")) {
    shown.push_back(update["content"]["text"]);
  }
  EXPECT_THAT(shown, ::testing::ElementsAre("1", "4", "5")) << "2 was taken back";
}

// Whichever way it ends: the agent is told with the next prompt, and the user is shown it.
TEST(AcpCancel, WhatWasStoppedIsToldShownAndKept) {
  const cursorwire::test::ScratchFolder state;
  std::string session;
  {
    ScriptedEditor editor(
        {.scripts = {Script().Text("one").TurnEnded(), Script().Text("two").ExpectCancel(),
                     Script().Thinking("hm").ExpectCancel(),
                     Script().Text("four").Error("internal", "no"),
                     Script().Error("internal", "no"), Script().Text("six").ExpectCancel()},
         .state = state.At("acp")});
    session = editor.session();
    const Json params = {{"sessionId", session}, {"cwd", editor.folder().path()}};
    // Returns once something has come of it.
    const auto begin = [&editor](const std::string& prompt) {
      editor.Clear();
      const int id = editor.SendPrompt(prompt);
      editor.AwaitMessage([&editor](const Json&) {
        return !editor.Said().empty() || !editor.UpdatesOf("agent_thought_chunk").empty();
      });
      return id;
    };
    editor.Prompt("question alpha");
    int stopped = begin("question bravo");
    editor.Notify("session/cancel", {{"sessionId", session}});
    EXPECT_EQ(StopReasonOf(editor.Await(stopped)), "cancelled");
    stopped = begin("question charlie");
    const int closed = editor.Send("session/close", params);
    EXPECT_EQ(StopReasonOf(editor.Await(stopped)), "cancelled");
    EXPECT_TRUE(editor.Await(closed).contains("result"));
    EXPECT_TRUE(editor.Ask("session/load", params).contains("result"));
    EXPECT_EQ(ErrorOf(editor.Prompt("question delta")), -32603);
    EXPECT_EQ(ErrorOf(editor.Prompt("question echo")), -32603);
    begin("question foxtrot");
    editor.Leave();
  }
  ScriptedEditor editor({.state = state.At("acp"), .initializes = false});
  editor.Ask("initialize", {{"protocolVersion", 1}});
  editor.Ask("session/load", {{"sessionId", session}, {"cwd", editor.folder().path()}});
  std::vector<std::string> shown;
  for (const Json& update : editor.UpdatesOf("user_message_chunk")) {
    shown.push_back(update["content"]["text"]);
  }
  EXPECT_THAT(shown, ::testing::ElementsAre("question alpha", "question bravo", "question charlie",
                                            "question delta", "question echo", "question foxtrot"));
  EXPECT_EQ(editor.Said(), "onetwofoursix");
  const std::vector<Json> endings = editor.UpdatesOf("agent_thought_chunk");
  ASSERT_EQ(endings.size(), 5);
  EXPECT_EQ(endings[0]["content"]["text"], "This turn was stopped.");
  EXPECT_EQ(endings[2]["content"]["text"], "This turn failed.");
  editor.Clear();
  editor.Ask("session/prompt",
             {{"sessionId", session},
              {"prompt", Json::array({Json::object({{"type", "text"}, {"text", "go on"}})})}});
  for (const char* name : {"bravo", "charlie", "delta", "echo", "foxtrot"}) {
    EXPECT_THAT(editor.Said(),
                ::testing::ContainsRegex(std::string("question ") + name +
                                         "\", and I answered in [01] words?, before it was"));
  }
}

TEST(AcpCancel, IsTakenAsARequestToo) {
  ScriptedEditor editor({.scripts = {Script().Text("so far").ExpectCancel()}});
  const int prompt = editor.SendPrompt("hi");
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  const int cancel = editor.Send("session/cancel", {{"sessionId", editor.session()}});
  EXPECT_TRUE(editor.Await(cancel)["result"].is_object());
  EXPECT_EQ(StopReasonOf(editor.Await(prompt)), "cancelled");
  EXPECT_EQ(ErrorOf(editor.Ask("session/cancel", {{"sessionId", "none"}})), -32002);
}

TEST(AcpCancel, TakesBackAnOpenQuestion) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Exec(R"({"write_args":{"path":"a.txt","file_text":"new\n"}})")
                       .NoAwait()
                       .ExpectCancel()}});
  editor.on_request = [](const std::string&, const Json&) { return std::nullopt; };
  const int prompt = editor.SendPrompt("hi");
  const Json question = editor.AwaitRequest("session/request_permission");
  editor.Clear();
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});
  EXPECT_EQ(StopReasonOf(editor.Await(prompt)), "cancelled");
  ASSERT_FALSE(editor.requests().empty());
  EXPECT_EQ(editor.requests()[0]["method"], "$/cancel_request");
  EXPECT_EQ(editor.requests()[0]["params"]["requestId"], question["id"]);
  ASSERT_FALSE(editor.UpdatesOf("tool_call_update").empty());
  EXPECT_EQ(editor.UpdatesOf("tool_call_update").back()["status"], "failed");
}

TEST(AcpTools, CallsOfTheAgentAreShown) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Text("Look: ")
                       .ToolCallStarted(StartedCall("c1", "read", "src/a.cc"))
                       .ToolCallCompleted(R"({"call_id":"c1","tool_call":{"read_tool_call":""}})")
                       .Text("done")
                       .TurnEnded()}});
  editor.Prompt("hi");
  const std::vector<Json> calls = editor.UpdatesOf("tool_call");
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0]["toolCallId"], "c1");
  EXPECT_EQ(calls[0]["kind"], "read");
  EXPECT_EQ(calls[0]["status"], "in_progress");
  EXPECT_EQ(calls[0]["title"], "read src/a.cc");
  EXPECT_EQ(calls[0]["locations"][0]["path"], editor.folder().At("src/a.cc"));
  const std::vector<Json> ends = editor.UpdatesOf("tool_call_update");
  ASSERT_EQ(ends.size(), 1);
  EXPECT_EQ(ends[0]["toolCallId"], "c1");
  EXPECT_EQ(ends[0]["status"], "failed") << "there is no result";
}

TEST(AcpTools, CallsWithoutAnIdAreToldApart) {
  const char completed[] = R"({"call_id":"","tool_call":{"read_tool_call":""}})";
  ScriptedEditor editor({.scripts = {Script()
                                         .ToolCallStarted(StartedCall("", "read", "a.cc"))
                                         .ToolCallCompleted(completed)
                                         .ToolCallStarted(StartedCall("", "read", "b.cc"))
                                         .ToolCallStarted(StartedCall("", "read", "c.cc"))
                                         .ToolCallCompleted(completed)
                                         .ToolCallCompleted(completed)
                                         .TurnEnded()}});
  editor.Prompt("hi");
  std::vector<Json> begun;
  std::vector<Json> ended;
  for (const Json& call : editor.UpdatesOf("tool_call")) begun.push_back(call["toolCallId"]);
  for (const Json& end : editor.UpdatesOf("tool_call_update")) ended.push_back(end["toolCallId"]);
  EXPECT_EQ(std::set<Json>(begun.begin(), begun.end()).size(), 3);
  EXPECT_EQ(ended, begun);
}

TEST(AcpTools, OpenCallsFailWithTheirTurn) {
  ScriptedEditor editor({.scripts = {Script()
                                         .ToolCallStarted(StartedCall("c1", "shell", "make"))
                                         .Error("internal", "broken")}});
  EXPECT_EQ(ErrorOf(editor.Prompt("hi")), -32603);
  ASSERT_EQ(editor.UpdatesOf("tool_call_update").size(), 1);
  EXPECT_EQ(editor.UpdatesOf("tool_call_update")[0]["status"], "failed");
}

TEST(AcpUsage, IsToldOfCheckpoints) {
  ScriptedEditor editor({});
  editor.Prompt("hi");
  ASSERT_FALSE(editor.UpdatesOf("usage_update").empty());
  EXPECT_GT(editor.UpdatesOf("usage_update")[0]["size"], 0);
}

TEST(AcpModes, AreSetAndTold) {
  ScriptedEditor editor({.scripts = {Script()
                                         .Exec(R"({"write_args":{"path":"a","file_text":"b"}})")
                                         .Expect(R"({"write_result":{"rejected":{}}})")
                                         .TurnEnded()}});
  editor.Clear();
  const Json answer =
      editor.Ask("session/set_mode", {{"sessionId", editor.session()}, {"modeId", "plan"}});
  EXPECT_EQ(answer["result"], Json::object());
  const std::vector<Json> modes = editor.UpdatesOf("current_mode_update");
  ASSERT_EQ(modes.size(), 1);
  EXPECT_EQ(modes[0]["currentModeId"], "plan");
  const std::vector<Json> options = editor.UpdatesOf("config_option_update");
  ASSERT_EQ(options.size(), 1);
  EXPECT_EQ(options[0]["configOptions"][0]["currentValue"], "plan");
  EXPECT_EQ(StopReasonOf(editor.Prompt("hi")), "end_turn");
  EXPECT_TRUE(editor.requests().empty()) << "nothing is asked in plan mode";
  EXPECT_EQ(
      ErrorOf(editor.Ask("session/set_mode", {{"sessionId", editor.session()}, {"modeId", "x"}})),
      -32602);
}

TEST(AcpOptions, AreSetAndAnsweredWithTheWholeList) {
  ScriptedEditor editor({});
  const auto set = [&editor](const char* id, const Json& value) {
    return editor.Ask("session/set_config_option",
                      {{"sessionId", editor.session()}, {"configId", id}, {"value", value}});
  };
  const Json answer = set("mode", "ask");
  EXPECT_EQ(answer["result"]["configOptions"][0]["currentValue"], "ask");
  EXPECT_EQ(editor.UpdatesOf("current_mode_update").size(), 1);
  const Json model = answer["result"]["configOptions"][1]["options"].back()["value"];
  EXPECT_EQ(set("model", model)["result"]["configOptions"][1]["currentValue"], model);
  EXPECT_EQ(ErrorOf(set("model", "no-such-model")), -32602);
  EXPECT_EQ(ErrorOf(set("what", "x")), -32602);
  EXPECT_EQ(ErrorOf(set("mode", true)), -32602);
}

TEST(AcpModes, TheAgentAsksToSwitch) {
  ScriptedEditor editor(
      {.scripts = {Script()
                       .Query(R"({"switch_mode_request_query":{"args":{"target_mode_id":"plan"}}})")
                       .Expect(R"({"switch_mode_request_response":{"approved":{}}})")
                       .TurnEnded()}});
  editor.Prompt("hi");
  ASSERT_EQ(editor.requests().size(), 1);
  EXPECT_EQ(editor.requests()[0]["params"]["toolCall"]["kind"], "switch_mode");
  EXPECT_EQ(editor.UpdatesOf("current_mode_update").size(), 1);
  EXPECT_EQ(editor.UpdatesOf("config_option_update").size(), 1);
}

TEST(AcpSessions, AreLoadedWithTheirHistoryByAnotherProcess) {
  const cursorwire::test::ScratchFolder state;
  std::string session;
  {
    ScriptedEditor editor(
        {.scripts = {Script().Text("Hello").TurnEnded()}, .state = state.At("acp")});
    session = editor.session();
    editor.Prompt("hi there");
  }
  ScriptedEditor editor({.scripts = {Script().Text("again").TurnEnded()},
                         .state = state.At("acp"),
                         .initializes = false});
  editor.Ask("initialize", {{"protocolVersion", 1}});
  const Json list = editor.Ask("session/list", Json::object())["result"];
  ASSERT_EQ(list["sessions"].size(), 1);
  EXPECT_EQ(list["sessions"][0]["sessionId"], session);
  EXPECT_EQ(list["sessions"][0]["title"], "hi there");
  EXPECT_FALSE(list.contains("nextCursor"));

  const int id = editor.Send(
      "session/load",
      {{"sessionId", session}, {"cwd", editor.folder().path()}, {"mcpServers", Json::array()}});
  const Json user = editor.Next()["params"]["update"];
  EXPECT_EQ(user["sessionUpdate"], "user_message_chunk");
  EXPECT_EQ(user["content"]["text"], "hi there");
  const Json agent = editor.Next()["params"]["update"];
  EXPECT_EQ(agent["sessionUpdate"], "agent_message_chunk");
  EXPECT_EQ(agent["content"]["text"], "Hello");
  EXPECT_NE(agent["messageId"], user["messageId"]);
  const Json answer = editor.Next();
  EXPECT_EQ(answer["id"], id) << "the history comes before the answer";
  EXPECT_EQ(answer["result"]["modes"]["currentModeId"], "agent");
}

TEST(AcpSessions, ResumeTellsNoHistory) {
  ScriptedEditor editor(
      {.scripts = {Script().Text("Hello").TurnEnded(), Script().Text("again").TurnEnded()}});
  editor.Prompt("hi");
  editor.Clear();
  const Json answer = editor.Ask(
      "session/resume", {{"sessionId", editor.session()}, {"cwd", editor.folder().path()}});
  EXPECT_TRUE(answer.contains("result"));
  EXPECT_TRUE(editor.updates().empty());
  EXPECT_EQ(StopReasonOf(editor.Prompt("on")), "end_turn");
  EXPECT_EQ(editor.Said(), "again") << "nor does the next turn";
  EXPECT_TRUE(editor.UpdatesOf("user_message_chunk").empty());
}

TEST(AcpSessions, OneWithoutAPromptCanBeLoaded) {
  ScriptedEditor editor({});
  EXPECT_TRUE(
      editor.Ask("session/load", {{"sessionId", editor.session()}, {"cwd", editor.folder().path()}})
          .contains("result"));
}

TEST(AcpSessions, OneWithoutAPromptHasTheTimeWhenItWasMade) {
  const auto now = [] {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return UpdatedAt(
        {.updated_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count()});
  };
  const std::string before = now();
  ScriptedEditor editor({});
  const Json list = editor.Ask("session/list", Json::object())["result"];
  ASSERT_EQ(list["sessions"].size(), 1);
  EXPECT_GE(TextOf(list["sessions"][0], "updatedAt"), before);
  EXPECT_LE(TextOf(list["sessions"][0], "updatedAt"), now());
}

TEST(AcpSessions, BadParamsLeaveTheOpenOneAlone) {
  ScriptedEditor editor({.scripts = {Script().Text("so far").ExpectCancel()}});
  const int prompt = editor.SendPrompt("hi");
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  for (const char* method : {"session/load", "session/resume"}) {
    SCOPED_TRACE(method);
    const Json answer =
        editor.Ask(method, {{"sessionId", editor.session()}, {"cwd", "/there/is/none"}});
    EXPECT_EQ(ErrorOf(answer), -32602);
  }
  EXPECT_EQ(ErrorOf(editor.Ask("session/set_mode",
                               {{"sessionId", editor.session()}, {"modeId", "debug"}})),
            0);
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});
  EXPECT_EQ(StopReasonOf(editor.Await(prompt)), "cancelled");
}

TEST(AcpSessions, UnknownOnesAreNotFound) {
  ScriptedEditor editor({});
  const Json params = {{"sessionId", "../../etc/passwd"}, {"cwd", "/"}, {"modeId", "ask"}};
  for (const char* method :
       {"session/load", "session/resume", "session/close", "session/set_mode"}) {
    SCOPED_TRACE(method);
    EXPECT_EQ(ErrorOf(editor.Ask(method, params)), -32002);
  }
  EXPECT_TRUE(editor.Ask("session/delete", params).contains("result"));
}

TEST(AcpSessions, ClosedOnesCanBeLoadedAndDeletedOnesCannot) {
  ScriptedEditor editor({});
  const Json params = {{"sessionId", editor.session()}, {"cwd", editor.folder().path()}};
  EXPECT_TRUE(editor.Ask("session/close", params).contains("result"));
  EXPECT_EQ(ErrorOf(editor.Prompt("hi")), -32002);
  EXPECT_TRUE(editor.Ask("session/load", params).contains("result"));
  EXPECT_TRUE(editor.Ask("session/delete", params).contains("result"));
  EXPECT_EQ(ErrorOf(editor.Ask("session/load", params)), -32002);
  EXPECT_EQ(editor.Ask("session/list", Json::object())["result"]["sessions"], Json::array());
}

TEST(AcpSessions, OneMoreThanThereIsRoomForClosesTheOneThatIsIdleTheLongest) {
  ScriptedEditor editor({.scripts = {Script().Text("so far").ExpectCancel()}});
  const Json place = {{"cwd", editor.folder().path()}, {"mcpServers", Json::array()}};
  const std::string second = editor.Ask("session/new", place)["result"]["sessionId"];
  const int prompt = editor.SendPrompt("hi");  // the first is older, and busy
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  for (size_t open = 2; open < kMaxOpenSessions; ++open) editor.Ask("session/new", place);
  EXPECT_TRUE(editor.Ask("session/new", place).contains("result"));
  const Json params = {{"sessionId", second}, {"cwd", editor.folder().path()}};
  const Json closed = editor.Ask("session/set_mode", {{"sessionId", second}, {"modeId", "ask"}});
  EXPECT_EQ(ErrorOf(closed), -32002);
  EXPECT_THAT(MessageOfError(closed), ::testing::HasSubstr("session/load"));
  EXPECT_TRUE(editor.Ask("session/load", params).contains("result"));
  editor.Notify("session/cancel", {{"sessionId", editor.session()}});
  EXPECT_EQ(StopReasonOf(editor.Await(prompt)), "cancelled");
}

TEST(AcpSessions, ListsHavePages) {
  ScriptedEditor editor({});
  for (size_t i = 0; i < kSessionsOfPage; ++i) {
    const Json made = editor.Ask("session/new", {{"cwd", "/"}});
    // Few are open at a time.
    editor.Ask("session/close", {{"sessionId", made["result"]["sessionId"]}});
  }
  const Json first = editor.Ask("session/list", Json::object())["result"];
  EXPECT_EQ(first["sessions"].size(), kSessionsOfPage);
  const Json second = editor.Ask("session/list", {{"cursor", first["nextCursor"]}})["result"];
  EXPECT_EQ(second["sessions"].size(), 1);
  EXPECT_FALSE(second.contains("nextCursor"));
  EXPECT_EQ(ErrorOf(editor.Ask("session/list", {{"cursor", "x"}})), -32602);
  const Json here = editor.Ask("session/list", {{"cwd", editor.folder().path()}})["result"];
  EXPECT_EQ(here["sessions"].size(), 1);
}

TEST(AcpSessions, ListsAreOfAFolderHoweverItIsWritten) {
  ScriptedEditor editor({});
  const std::string& folder = editor.folder().path();
  for (const std::string& cwd : {folder, folder + "/", folder + "//", folder + "/.", "/" + folder,
                                 folder + "/a/..", folder + "/./a/b/../../"}) {
    SCOPED_TRACE(cwd);
    const Json result = editor.Ask("session/list", {{"cwd", cwd}})["result"];
    ASSERT_EQ(result["sessions"].size(), 1);
    EXPECT_EQ(result["sessions"][0]["cwd"], folder);
  }
  for (const std::string& cwd : {folder + "/a", folder + "/..", std::string("/there/is/none")}) {
    SCOPED_TRACE(cwd);
    EXPECT_EQ(editor.Ask("session/list", {{"cwd", cwd}})["result"]["sessions"], Json::array());
  }
  for (const Json& cwd : {Json("a"), Json(""), Json(1)}) {
    SCOPED_TRACE(cwd);
    EXPECT_EQ(ErrorOf(editor.Ask("session/list", {{"cwd", cwd}})), -32602);
  }
}

TEST(AcpSessions, OneThatAnotherProcessHasOpenIsNotDeleted) {
  const cursorwire::test::ScratchFolder state;
  ScriptedEditor owner({.scripts = {Script().Text("Hello").TurnEnded()}, .state = state.At("acp")});
  const Json params = {{"sessionId", owner.session()}, {"cwd", owner.folder().path()}};
  ScriptedEditor other({.state = state.At("acp"), .initializes = false});
  other.Ask("initialize", {{"protocolVersion", 1}});
  const Json refused = other.Ask("session/delete", params);
  EXPECT_EQ(ErrorOf(refused), -32603);
  EXPECT_THAT(MessageOfError(refused), ::testing::HasSubstr("another process"));
  EXPECT_EQ(StopReasonOf(owner.Prompt("hi")), "end_turn");
  owner.Ask("session/close", params);
  EXPECT_TRUE(other.Ask("session/load", params).contains("result"));
  EXPECT_EQ(other.UpdatesOf("user_message_chunk").size(), 1) << "nothing was lost";
  EXPECT_TRUE(other.Ask("session/delete", params).contains("result"));
  EXPECT_EQ(ErrorOf(owner.Ask("session/load", params)), -32002);
}

TEST(AcpSessions, UndoTakesTheLastTurnBack) {
  ScriptedEditor editor({.scripts = {Script().Text("Hello").TurnEnded()}});
  editor.Prompt("hi");
  editor.Clear();
  EXPECT_EQ(StopReasonOf(editor.Prompt("/undo")), "end_turn");
  EXPECT_THAT(editor.Said(), ::testing::AllOf(::testing::HasSubstr("Took back: hi"),
                                              ::testing::HasSubstr("no longer")));
  editor.Clear();
  editor.Ask("session/load", {{"sessionId", editor.session()}, {"cwd", editor.folder().path()}});
  EXPECT_TRUE(editor.UpdatesOf("user_message_chunk").empty());
}

TEST(AcpSessions, KeepsAQuestionWhoseRequestCannotBeMade) {
  ScriptedEditor editor({.scripts = {Script().Text("Hello").TurnEnded()}});
  editor.Prompt("one");
  editor.models_are_away = true;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ErrorOf(editor.Prompt("two")), -32603);
  editor.Prompt("/undo");
  EXPECT_THAT(editor.Said(), ::testing::HasSubstr("Took back: two"));
  editor.Clear();
  editor.Ask("session/load", {{"sessionId", editor.session()}, {"cwd", editor.folder().path()}});
  EXPECT_EQ(editor.UpdatesOf("user_message_chunk").size(), 1) << "it is kept once";
}

TEST(AcpEnd, CancelsWhatGoesOn) {
  ScriptedEditor editor({.scripts = {Script().Text("so far").ExpectCancel()}});
  editor.SendPrompt("hi");
  editor.AwaitMessage([&editor](const Json&) { return editor.Said() == "so far"; });
  editor.Leave();
}

}  // namespace
}  // namespace cursor_acp::test
