#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/gateway/chat_client.h"
#include "apps/gateway/gateway_fixture.h"
#include "support/scratch_folder.h"

namespace cursor_gateway {
namespace {

using cursorwire::Script;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

const json kTools = {{"tools", {Function("get_weather"), Function("get_time")}}};

json Result(const json& call, const std::string& text) {
  return {{"role", "tool"}, {"tool_call_id", call["id"]}, {"content", text}};
}

// `mcp_result` with this text.
std::string Success(const std::string& text) {
  return R"({"success": {"content": [{"text": {"text": ")" + text + R"("}}]}})";
}

class ToolsTest : public GatewayFixture {
 protected:
  ChatResult Ask(const json& messages, json more = json::object()) {
    more.update(kTools);
    return AskChat(port_, ChatBody(messages, more), fields_);
  }
  void ExpectNoViolations(size_t runs) {
    EXPECT_TRUE(upstream_->WaitForRuns(runs, seconds(10)));
    EXPECT_THAT(upstream_->violations(), IsEmpty());
  }
  std::string Metrics() {
    RawClient client(port_);
    client.Send(Get("/metrics", fields_));
    return client.ReadResponse();
  }

  std::string fields_;  // of each request
};

TEST_F(ToolsTest, HandsOutACallAndGoesOnWithItsResult) {
  Start({Script()
             .Text("let me see")
             .CallTool("get_weather", R"({"city": "Bern", "days": 2})")
             .ExpectToolResult(Success("sunny"))
             .Text("It is sunny.")
             .TurnEnded(R"({"input_tokens":"9","output_tokens":"1"})")});
  json messages = json::array({UserSays("weather?")});
  const ChatResult first = Ask(messages);
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.finish_reason(), "tool_calls");
  EXPECT_EQ(first.text(), "let me see");
  EXPECT_EQ(first.body["usage"]["total_tokens"], 0);
  ASSERT_THAT(first.message()["tool_calls"], SizeIs(1));
  const json call = first.message()["tool_calls"][0];
  EXPECT_THAT(call["id"].get<std::string>(), MatchesRegex("call_[A-Za-z0-9]{24}"));
  EXPECT_EQ(call["type"], "function");
  EXPECT_EQ(call["function"],
            json({{"name", "get_weather"}, {"arguments", R"({"city":"Bern","days":2})"}}));
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 1\n"));
  messages.push_back(first.message());
  messages.push_back(Result(call, "sunny"));
  const ChatResult second = Ask(messages, {{"stream", true}});
  EXPECT_EQ(second.text(), "It is sunny.");
  EXPECT_EQ(second.finish_reason(), "stop");
  EXPECT_TRUE(second.done);
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 0\n"));
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_cold_continuations_total 0\n"));
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, StreamsCallsAndHandsOutAllOfARound) {
  Start({Script()
             .Parallel(Script()
                           .CallTool("get_weather", R"({"city": "Bern"})")
                           .ExpectToolResult(Success("sunny"))
                           .CallTool("get_time")
                           .ExpectToolResult(Success("noon")))
             .Text("done")
             .TurnEnded()});
  json messages = json::array({UserSays("both?")});
  const ChatResult first = Ask(messages, {{"stream", true}});
  EXPECT_EQ(first.finish_reason(), "tool_calls");
  EXPECT_TRUE(first.done);
  std::map<int, json> calls;
  for (const json& chunk : first.chunks) {
    const json delta = chunk["choices"][0]["delta"];
    if (!delta.contains("tool_calls")) continue;
    const json piece = delta["tool_calls"][0];
    json& call = calls[piece["index"].get<int>()];
    if (piece.contains("id")) {
      call = {{"id", piece["id"]}, {"type", "function"}, {"function", piece["function"]}};
    } else {
      call["function"]["arguments"] = piece["function"]["arguments"];
    }
  }
  ASSERT_THAT(calls, SizeIs(2));
  // The results in another order than the calls.
  messages.push_back(
      {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {calls[0], calls[1]}}});
  const auto answer = [](const json& call) {
    return Result(call, call["function"]["name"] == "get_time" ? "noon" : "sunny");
  };
  messages.push_back(answer(calls[1]));
  messages.push_back(answer(calls[0]));
  EXPECT_EQ(Ask(messages).text(), "done");
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, BeginsAnotherTurnWithTheResultsIfNothingIsParked) {
  cursorwire::LocalUpstreamOptions upstream;
  upstream.scripts = {Script().Text("let me see").CallTool("get_weather").NoAwait().ExpectCancel(),
                      Script().Text("It is sunny.").TurnEnded()};
  Start(std::move(upstream), {.chat = {.parks = false}});
  json messages = json::array({UserSays("weather?")});
  const ChatResult first = Ask(messages);
  EXPECT_EQ(first.finish_reason(), "tool_calls");
  ASSERT_THAT(first.message()["tool_calls"], SizeIs(1));
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 0\n"));
  EXPECT_TRUE(upstream_->WaitForRuns(1, seconds(10)));
  messages.push_back(first.message());
  messages.push_back(Result(first.message()["tool_calls"][0], "sunny"));
  EXPECT_EQ(Ask(messages).text(), "It is sunny.");
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_cold_continuations_total 1\n"));
  ExpectNoViolations(2);
}

TEST_F(ToolsTest, HandsOutOneCallAtATimeIfAsked) {
  Start({Script()
             .Parallel(Script()
                           .CallTool("get_weather")
                           .ExpectToolResult(Success("sunny"))
                           .CallTool("get_time")
                           .ExpectToolResult(Success("noon")))
             .Text("done")
             .TurnEnded()});
  json messages = json::array({UserSays("both?")});
  const json one = {{"parallel_tool_calls", false}};
  for (int i = 0; i < 2; ++i) {
    const ChatResult answer = Ask(messages, one);
    ASSERT_THAT(answer.message()["tool_calls"], SizeIs(1));
    const json call = answer.message()["tool_calls"][0];
    messages.push_back(answer.message());
    messages.push_back(Result(call, call["function"]["name"] == "get_time" ? "noon" : "sunny"));
  }
  EXPECT_EQ(Ask(messages, one).text(), "done");
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, KeepsTheConversationBehindATurnWithTools) {
  // The state of the first turn, which has no turns in it, as a rebuilt one would.
  Start({Script()
             .CallTool("get_time")
             .ExpectToolResult(Success("noon"))
             .Text("It is noon.")
             .TurnEnded()
             .CheckpointBytes("\x50\x01"),
         Script()
             .ExpectRequest(R"({"conversation_state": {"$as": {"ConversationStateStructure":
                                 {"turns": {"$size": 0}}}}})")
             .Text("yes")
             .TurnEnded()});
  json messages = json::array({UserSays("time?")});
  const ChatResult first = Ask(messages);
  messages.push_back(first.message());
  messages.push_back(Result(first.message()["tool_calls"][0], "noon"));
  messages.push_back(Ask(messages).message());
  messages.push_back(UserSays("sure?"));
  const ChatResult last = Ask(messages);
  EXPECT_EQ(last.status, 200) << last.body;
  ExpectNoViolations(2);
}

// A conversation with the result of a call that no turn waits for.
constexpr char kCold[] = R"({"conversation_state": {"$as": {"ConversationStateStructure":
    {"turns": {"$size": 1}}}}, "action": {"user_message_action": {"user_message":
    {"text": {"$contains": "Continue"}}}}})";

json ForeignCall() {
  return {{"id", "call_of_somebody_else"},
          {"type", "function"},
          {"function", {{"name", "get_time"}, {"arguments", "{}"}}}};
}
json Calls(const json& call) {
  return {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {call}}};
}

TEST_F(ToolsTest, GoesColdWhereNoTurnWaits) {
  Start({Script().ExpectRequest(kCold).Text("It is noon.").TurnEnded()});
  EXPECT_EQ(Ask({UserSays("time?"), Calls(ForeignCall()), Result(ForeignCall(), "noon")}).text(),
            "It is noon.");
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_cold_continuations_total 1\n"));
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, NeverAnswersACallTwice) {
  Start({Script().CallTool("get_time").ExpectToolResult(Success("noon")).Text("a").TurnEnded(),
         Script().ExpectRequest(kCold).Text("b").TurnEnded()});
  json messages = json::array({UserSays("time?")});
  const ChatResult first = Ask(messages);
  messages.push_back(first.message());
  messages.push_back(Result(first.message()["tool_calls"][0], "noon"));
  EXPECT_EQ(Ask(messages).text(), "a");
  EXPECT_EQ(Ask(messages).text(), "b");  // the retry of an SDK
  ExpectNoViolations(2);
}

TEST_F(ToolsTest, CancelsATurnWhoseHistoryWasEdited) {
  Start({Script().CallTool("get_time").NoAwait().ExpectCancel(),
         Script().ExpectRequest(kCold).Text("b").TurnEnded()});
  const ChatResult first = Ask(json::array({UserSays("time?")}));
  EXPECT_EQ(Ask({UserSays("time, please?"), first.message(),
                 Result(first.message()["tool_calls"][0], "noon")})
                .text(),
            "b");
  ExpectNoViolations(2);
}

// A turn cannot be told of it any more.
TEST_F(ToolsTest, BeginsAnewWhereTheResultsComeWithOtherTerms) {
  const json others[] = {
      {{"tool_choice", "none"}},
      {{"tool_choice", "required"}},
      {{"response_format", {{"type", "json_object"}}}},
      {{"model", "other-model"}},
      {{"tools", {Function("get_time")}}},
      {{"tools", {Function("get_time"), Function("get_weather"), Function("get_news")}}},
      {{"tools", nullptr}},
  };
  std::vector<Script> scripts;
  for (size_t i = 0; i < std::size(others); ++i) {
    scripts.push_back(Script().CallTool("get_time").NoAwait().ExpectCancel());
    scripts.push_back(Script().ExpectRequest(kCold).Text("b").TurnEnded());
  }
  Start(std::move(scripts));
  for (const json& other : others) {
    SCOPED_TRACE(other.dump());
    json messages = json::array({UserSays("time? " + other.dump())});
    const ChatResult first = Ask(messages);
    ASSERT_THAT(first.message()["tool_calls"], SizeIs(1));
    messages.push_back(first.message());
    messages.push_back(Result(first.message()["tool_calls"][0], "noon"));
    json more = kTools;
    more.update(other);
    EXPECT_EQ(AskChat(port_, ChatBody(messages, more)).text(), "b");
  }
  ExpectNoViolations(2 * std::size(others));
}

TEST_F(ToolsTest, GoesOnWithoutResultsWhereTheUserTalksOn) {
  Start({Script().CallTool("get_time").NoAwait().ExpectCancel(),
         Script()
             .ExpectRequest(R"({"action": {"user_message_action": {"user_message":
                                 {"text": "never mind"}}}})")
             .Text("fine")
             .TurnEnded()});
  const ChatResult first = Ask(json::array({UserSays("time?")}));
  EXPECT_EQ(Ask({UserSays("time?"), first.message(), UserSays("never mind")}).text(), "fine");
  ExpectNoViolations(2);
}

TEST_F(ToolsTest, StaysParkedWhereResultsAreMissing) {
  Start({Script()
             .Parallel(Script()
                           .CallTool("get_weather")
                           .ExpectToolResult(Success("r"))
                           .CallTool("get_time")
                           .ExpectToolResult(Success("r")))
             .Text("done")
             .TurnEnded()});
  json messages = json::array({UserSays("both?")});
  const ChatResult first = Ask(messages);
  const json calls = first.message()["tool_calls"];
  ASSERT_THAT(calls, SizeIs(2));
  messages.push_back(first.message());
  messages.push_back(Result(calls[0], "r"));
  const ChatResult refused = Ask(messages);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body["error"]["message"].get<std::string>(),
              HasSubstr(calls[1]["id"].get<std::string>()));
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 1\n"));
  messages.push_back(Result(calls[1], "r"));
  EXPECT_EQ(Ask(messages).text(), "done");
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, GivesUpOnAClientThatDoesNotReturn) {
  Start({Script().CallTool("get_time").NoAwait().ExpectCancel()});
  EXPECT_EQ(Ask(json::array({UserSays("time?")})).finish_reason(), "tool_calls");
  thread_.Advance(seconds(601));
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 0\n"));
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, DoesNotParkForAClientThatLeft) {
  Start({Script().Text("one").ExpectCancel()});
  RawClient client(port_);
  json more = kTools;
  more["stream"] = true;
  client.Send(
      Post("/v1/chat/completions", ChatBody(json::array({UserSays("time?")}), more).dump()));
  client.ReadUntil("one");
  client.Close();
  ExpectNoViolations(1);
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 0\n"));
}

TEST_F(ToolsTest, CancelsParkedTurnsWhenItDrains) {
  Start({Script().CallTool("get_time").NoAwait().ExpectCancel()});
  EXPECT_EQ(Ask(json::array({UserSays("time?")})).finish_reason(), "tool_calls");
  thread_.Do([this] { gateway_->Drain(); });
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, KeepsTurnsOfOtherKeysApart) {
  const cursorwire::test::ScratchFolder folder;
  std::ofstream(folder.path() + "/keys") << "key-one\nkey-two\n";
  cursorwire::LocalUpstreamOptions upstream;
  upstream.scripts = {
      Script().CallTool("get_time").ExpectToolResult(Success("noon")).Text("a").TurnEnded(),
      Script().ExpectRequest(kCold).Text("stranger").TurnEnded()};
  Start(std::move(upstream), {.keys = *ApiKeys::Load(folder.path() + "/keys")});
  fields_ = "Authorization: Bearer key-one\r\n";
  json messages = json::array({UserSays("time?")});
  const ChatResult first = Ask(messages);
  messages.push_back(first.message());
  messages.push_back(Result(first.message()["tool_calls"][0], "noon"));
  fields_ = "Authorization: Bearer key-two\r\n";
  EXPECT_EQ(Ask(messages).text(), "stranger");
  fields_ = "Authorization: Bearer key-one\r\n";
  EXPECT_EQ(Ask(messages).text(), "a");
  ExpectNoViolations(2);
}

class ParkedBoundTest : public ToolsTest {
 protected:
  static constexpr size_t kBytes = size_t{64} * 1024;

  void StartBounded(std::vector<Script> scripts, ParkedBound all, ParkedBound of_key) {
    cursorwire::LocalUpstreamOptions upstream;
    upstream.scripts = std::move(scripts);
    Start(std::move(upstream), {.chat = {.max_idle = std::chrono::hours(24),
                                         .max_parked = all,
                                         .max_parked_per_key = of_key}});
  }
  void Park() { EXPECT_EQ(Ask(json::array({UserSays("time?")})).finish_reason(), "tool_calls"); }
};

TEST_F(ParkedBoundTest, CountsWhatTheServiceHasStored) {
  const std::string half(kBytes / 2, 'b');
  const auto stores = [&half](const char* more) {
    return Script().SetBlob(half + more).CallTool("get_time").NoAwait().ExpectCancel();
  };
  StartBounded({stores("1"), stores("2")}, {.turns = 9, .bytes = kBytes}, {});
  Park();
  Park();
  ExpectNoViolations(1);
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 1\n"));
}

TEST_F(ParkedBoundTest, CountsWhatTheServiceStoresMeanwhile) {
  StartBounded(
      {Script().CallTool("get_time").NoAwait().SetBlob(std::string(kBytes, 'b')).ExpectCancel()},
      {.turns = 9, .bytes = kBytes}, {});
  Park();
  // The blob is on its way.
  for (int i = 0; i < 1000 && !upstream_->WaitForRuns(1, std::chrono::milliseconds(10)); ++i) {
    thread_.Advance(kParkedLook);
  }
  ExpectNoViolations(1);
}

TEST_F(ParkedBoundTest, GivesAllOfTheRoomToThoseWithoutKeys) {
  const Script parks = Script().CallTool("get_time").NoAwait().ExpectCancel();
  StartBounded({parks, parks, parks}, {.turns = 2, .bytes = kBytes}, {.turns = 1, .bytes = 1});
  Park();
  Park();
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 2\n"));
  Park();
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_runs_parked 2\n"));
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, NamesTheToolWhoseSchemaIsTooDeep) {
  Start({Script().Text("ok").TurnEnded()});
  const auto ask = [this](int depth) {
    json schema = "x";
    for (int i = 0; i < depth; ++i) schema = {{"properties", schema}};
    json deep = Function("deep");
    deep["function"]["parameters"] = schema;
    return AskChat(port_,
                   ChatBody(json::array({UserSays("hi")}), {{"tools", {Function("fine"), deep}}}));
  };
  EXPECT_EQ(ask(31).text(), "ok");
  for (const int depth : {32, 100}) {
    const ChatResult refused = ask(depth);
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.body["error"]["param"], "tools.[1].function.parameters");
    EXPECT_EQ(refused.body["error"]["message"],
              "the schema of the tool deep is nested " + std::to_string(depth) +
                  " objects and lists deep, over the limit of 31");
  }
  ExpectNoViolations(1);
}

TEST_F(ToolsTest, OffersNothingForTheChoiceNone) {
  Start({Script()
             .CallTool("get_time")
             .Expect(R"({"mcp_result": {"$any": true}})")
             .Text("ok")
             .TurnEnded()});
  const ChatResult answer = Ask(json::array({UserSays("time?")}), {{"tool_choice", "none"}});
  EXPECT_EQ(answer.finish_reason(), "stop");
}

}  // namespace
}  // namespace cursor_gateway
