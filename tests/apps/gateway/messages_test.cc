#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <set>
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const json kStream = {{"stream", true}};
constexpr char kUsage[] = R"({"input_tokens":"100","output_tokens":"7","cache_read_tokens":"60",
                              "cache_write_tokens":"5"})";
constexpr char kContext[] = R"({"tokenDetails": {"usedTokens": 1200, "maxTokens": 2000}})";

// An answer, whole or put together out of its events.
struct Answer {
  int status = 0;
  std::string head;
  json message;                    // or the error
  std::vector<json> events;        // of a stream
  std::vector<std::string> lines;  // their "event:" lines

  json content() const { return message.value("content", json::array()); }
  std::string text() const {
    std::string all;
    for (const json& block : content()) all += block.value("text", "");
    return all;
  }
  std::vector<json> calls() const {
    std::vector<json> calls;
    for (const json& block : content()) {
      if (block["type"] == "tool_use") calls.push_back(block);
    }
    return calls;
  }
  std::string stop_reason() const { return message.value("stop_reason", ""); }
  std::string error() const { return message["error"]["type"]; }
};

void AddEvent(Answer& answer, const json& event) {
  const std::string type = event["type"];
  if (type == "message_start") {
    answer.message = event["message"];
  } else if (type == "content_block_start") {
    ASSERT_EQ(event["index"], answer.content().size());
    answer.message["content"].push_back(event["content_block"]);
  } else if (type == "content_block_delta") {
    json& block = answer.message["content"].at(event["index"].get<size_t>());
    for (const auto& [name, value] : event["delta"].items()) {
      if (name == "type") continue;
      if (name == "partial_json") {
        block["input"] = json::parse(value.get<std::string>());
      } else {
        block[name] = block.value(name, "") + value.get<std::string>();
      }
    }
  } else if (type == "message_delta") {
    answer.message.update(event["delta"]);
    answer.message["usage"] = event["usage"];
  } else if (type == "error") {
    answer.message = event;
  }
}

Answer ReadAnswer(RawClient& client) {
  Answer answer;
  answer.head = client.ReadUntil("\r\n\r\n");
  if (answer.head.size() < 12) return answer;
  answer.status = std::stoi(answer.head.substr(9, 3));
  if (answer.head.find("chunked") == std::string::npos) {
    const size_t at = answer.head.find("Content-Length: ");
    answer.message =
        json::parse(client.ReadSize(std::stoul(answer.head.substr(at + 16))), nullptr, false);
    return answer;
  }
  const std::string body = BodyOf(answer.head + client.ReadUntil("\r\n0\r\n\r\n"));
  for (size_t at = 0; at < body.size();) {
    const size_t end = body.find("\n\n", at);
    const std::string event = body.substr(at, end - at);
    at = end == std::string::npos ? body.size() : end + 2;
    const size_t data = event.find("\ndata: ");
    EXPECT_NE(data, std::string::npos) << event;
    answer.lines.push_back(event.substr(0, data));
    answer.events.push_back(json::parse(event.substr(data + 7)));
    AddEvent(answer, answer.events.back());
  }
  return answer;
}

json Tool(const std::string& name) {
  return {{"name", name}, {"input_schema", {{"type", "object"}}}};
}
json TextBlock(const std::string& text) { return {{"type", "text"}, {"text", text}}; }
json ResultOf(const json& call, const json& content) {
  return {{"type", "tool_result"}, {"tool_use_id", call["id"]}, {"content", content}};
}
json User(const json& content) { return {{"role", "user"}, {"content", content}}; }
json Assistant(const json& content) { return {{"role", "assistant"}, {"content", content}}; }
json System(const std::string& text) { return {{"role", "system"}, {"content", text}}; }

// `mcp_result` with this text.
std::string Success(const std::string& text) {
  return R"({"success": {"content": [{"text": {"text": )" + json(text).dump() + "}}]}}";
}

// A turn that was built anew.
constexpr char kCold[] = R"({"conversation_state": {"$as": {"ConversationStateStructure":
    {"turns": {"$size": 1}}}}})";

class MessagesTest : public GatewayFixture {
 protected:
  using GatewayFixture::Start;

  json Body(const json& messages, const json& more) {
    json body = {{"model", "some-model"},
                 {"max_tokens", 8192},
                 {"messages", messages},
                 {"tools", {Tool("get_weather"), Tool("get_time")}}};
    body.update(more);
    return body;
  }
  void Send(RawClient& client, const json& messages, const json& more = json::object()) {
    client.Send(Post("/v1/messages?beta=true", Body(messages, more).dump(), fields_));
  }
  Answer Ask(const json& messages, const json& more = json::object()) {
    RawClient client(port_);
    Send(client, messages, more);
    return ReadAnswer(client);
  }
  Answer Say(const std::string& text, const json& more = json::object()) {
    return Ask(json::array({User(text)}), more);
  }
  Answer AskPath(const std::string& request) {
    RawClient client(port_);
    client.Send(request);
    return ReadAnswer(client);
  }
  std::string Metrics() {
    RawClient client(port_);
    client.Send(Get("/metrics", fields_));
    return client.ReadResponse();
  }
  // With the line of the last answer, which its client may have before.
  std::string WholeLog() {
    Metrics();
    return Log();
  }
  // A gateway with the keys key-one and key-two.
  void StartWithKeys(std::vector<Script> scripts) {
    std::ofstream(folder_.path() + "/keys") << "key-one\nkey-two\n";
    cursorwire::LocalUpstreamOptions upstream;
    upstream.scripts = std::move(scripts);
    Start(std::move(upstream), {.keys = *ApiKeys::Load(folder_.path() + "/keys")});
  }
  void ExpectNoViolations(size_t runs) {
    EXPECT_TRUE(upstream_->WaitForRuns(runs, seconds(10)));
    EXPECT_THAT(upstream_->violations(), IsEmpty());
  }

  std::string fields_;  // of each request
  const cursorwire::test::ScratchFolder folder_;
};

// --- the answer

TEST_F(MessagesTest, AnswersAtOnce) {
  Start({Script()
             .ExpectRequest(R"({"requested_model": {"model_id": "some-model"},
                "action": {"user_message_action": {"user_message": {"text": "hi"}}}})")
             .Thinking("hm")
             .Text("Hel")
             .Text("lo")
             .TurnEnded(kUsage)});
  const Answer answer = Say("hi", {{"thinking", {{"type", "adaptive"}}}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.head, HasSubstr("\r\nrequest-id: req_"));
  EXPECT_THAT(answer.head, HasSubstr("\r\nx-request-id: req_"));
  EXPECT_EQ(answer.message["type"], "message");
  EXPECT_EQ(answer.message["role"], "assistant");
  EXPECT_EQ(answer.message["model"], "some-model");
  EXPECT_THAT(answer.message["id"].get<std::string>(), MatchesRegex("msg_[A-Za-z0-9]{24}"));
  EXPECT_EQ(answer.content()[0]["thinking"], "hm");
  EXPECT_EQ(answer.text(), "Hello");
  EXPECT_EQ(answer.stop_reason(), "end_turn");
  EXPECT_EQ(answer.message["usage"], json({{"input_tokens", 35},
                                           {"cache_creation_input_tokens", 5},
                                           {"cache_read_input_tokens", 60},
                                           {"output_tokens", 7}}));
  ExpectNoViolations(1);
}

TEST_F(MessagesTest, StreamsInTheOrderOfTheApiWhateverIsAccepted) {
  Start({Script().Thinking("hm").Text("Hel").Text("lo").TurnEnded(kUsage)});
  fields_ = "Accept: application/json\r\n";
  const Answer answer =
      Say("hi", {{"stream", true}, {"thinking", {{"type", "enabled"}, {"budget_tokens", 1024}}}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.head, HasSubstr("Content-Type: text/event-stream; charset=utf-8\r\n"));
  EXPECT_THAT(answer.lines, ElementsAre("event: message_start", "event: content_block_start",
                                        "event: content_block_delta", "event: content_block_delta",
                                        "event: content_block_stop", "event: content_block_start",
                                        "event: content_block_delta", "event: content_block_delta",
                                        "event: content_block_stop", "event: message_delta",
                                        "event: message_stop"));
  EXPECT_EQ(answer.text(), "Hello");
  const json usage = answer.events[0]["message"]["usage"];
  EXPECT_GT(usage["input_tokens"], 0);
  EXPECT_THAT(usage, SizeIs(4));
  EXPECT_EQ(answer.message["usage"]["output_tokens"], 7);
}

TEST_F(MessagesTest, EndsTheBodyAtMessageStop) {
  Start({Script().Text("Hello").TurnEnded().ExpectCancel()});  // the service stays
  RawClient client(port_);
  Send(client, json::array({User("hi")}), kStream);
  client.ReadUntil("event: message_stop");
  EXPECT_THAT(client.ReadUntil("\r\n0\r\n\r\n"), HasSubstr("\r\n0\r\n\r\n"));
}

TEST_F(MessagesTest, KeepsThinkingBackWhereItIsNotWanted) {
  Start({Script().Thinking("hm").Text("a").TurnEnded()});
  for (const json& more : {json::object(), json({{"thinking", {{"type", "disabled"}}}}),
                           json({{"thinking", {{"type", "adaptive"}, {"display", "omitted"}}}})}) {
    const Answer answer = Say("hi", more);
    ASSERT_THAT(answer.content(), SizeIs(1));
    EXPECT_EQ(answer.content()[0]["type"], "text");
  }
}

TEST_F(MessagesTest, NeverAnswersWithNothing) {
  Start({Script().Thinking("hm").TurnEnded(), Script().TurnEnded(),
         Script().ExpectRequest(kCold).Text("b").TurnEnded()});
  const Answer thought = Say("hi", {{"thinking", {{"type", "adaptive"}}}, {"stream", true}});
  ASSERT_THAT(thought.content(), SizeIs(2));
  EXPECT_THAT(thought.content()[1]["text"].get<std::string>(), Not(IsEmpty()));
  EXPECT_THAT(Say("hi").text(), Not(IsEmpty()));
}

TEST_F(MessagesTest, TellsAtWhichSequenceItStopped) {
  Start({Script().Text("one ST").Text("OP two").ExpectCancel()});
  for (const bool stream : {false, true}) {
    const Answer answer = Say("hi", {{"stream", stream}, {"stop_sequences", {"END", "STOP"}}});
    EXPECT_EQ(answer.text(), "one ");
    EXPECT_EQ(answer.stop_reason(), "stop_sequence");
    EXPECT_EQ(answer.message["stop_sequence"], "STOP");
  }
  ExpectNoViolations(2);
}

// --- usage

TEST_F(MessagesTest, TellsTheSizeOfTheContext) {
  Start({Script().Text("hi").Checkpoint(kContext).TurnEnded(
      R"({"input_tokens":"5000","output_tokens":"20"})")});
  const json usage = Say("hi").message["usage"];
  EXPECT_EQ(usage["input_tokens"], 1180);
  EXPECT_EQ(usage["output_tokens"], 20);
}

TEST_F(MessagesTest, TellsTheSizeOfTheContextWhereItHandsOutCalls) {
  Start({Script().Checkpoint(kContext).CallTool("get_time").NoAwait().ExpectCancel()});
  const json usage = Say("time?").message["usage"];
  EXPECT_EQ(usage["input_tokens"].get<int>() + usage["output_tokens"].get<int>(), 1200);
}

TEST_F(MessagesTest, EstimatesTheUsageWhereNothingIsKnown) {
  Start({Script().CallTool("get_time").NoAwait().ExpectCancel()});
  const json usage = Say(std::string(4000, 'x')).message["usage"];
  EXPECT_GE(usage["input_tokens"], 1000);
  EXPECT_GT(usage["output_tokens"], 0);
}

// --- tools

TEST_F(MessagesTest, HandsOutCallsAndGoesOnWithResultsInAnyOrder) {
  Start({Script()
             .Text("let me see")
             .Parallel(Script()
                           .CallTool("get_weather", R"({"city": "Bern", "days": 2})")
                           .ExpectToolResult(Success("sunny"))
                           .CallTool("get_time")
                           .ExpectToolResult(Success("noon")))
             .Text("It is sunny.")
             .TurnEnded()});
  for (const bool stream : {false, true}) {
    SCOPED_TRACE(stream);
    json messages = json::array({User("weather?")});
    const Answer first = Ask(messages, {{"stream", stream}});
    EXPECT_EQ(first.stop_reason(), "tool_use");
    EXPECT_EQ(first.text(), "let me see");
    const std::vector<json> calls = first.calls();
    ASSERT_THAT(calls, SizeIs(2));
    EXPECT_THAT(calls[0]["id"].get<std::string>(), MatchesRegex("toolu_[A-Za-z0-9]{24}"));
    EXPECT_NE(calls[0]["id"], calls[1]["id"]);
    const auto result = [](const json& call) {
      return ResultOf(call, call["name"] == "get_time" ? "noon" : "sunny");
    };
    messages.push_back(Assistant(first.content()));
    messages.push_back(User({result(calls[1]), result(calls[0])}));
    EXPECT_EQ(Ask(messages, {{"stream", stream}}).text(), "It is sunny.");
  }
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_cold_continuations_total 0\n"));
  ExpectNoViolations(2);
}

TEST_F(MessagesTest, HandsOutOneCallAtATimeIfAsked) {
  Start({Script()
             .Parallel(Script().CallTool("get_weather").NoAwait().CallTool("get_time").NoAwait())
             .ExpectCancel()});
  const json choice = {{"tool_choice", {{"type", "auto"}, {"disable_parallel_tool_use", true}}}};
  EXPECT_THAT(Say("both?", choice).calls(), SizeIs(1));
}

TEST_F(MessagesTest, ForcesACallByARule) {
  Start({Script()
             .GetRootPromptBlob(1)
             .Expect(R"({"blob_data": {"$text": {"$contains": "must call at least one"}}})")
             .Text("ok")
             .TurnEnded()});
  EXPECT_EQ(Say("hi", {{"tool_choice", {{"type", "any"}}}}).text(), "ok");
  ExpectNoViolations(1);
}

// A turn that hands out a call of get_time, and its first answer.
class ParkedMessagesTest : public MessagesTest {
 protected:
  void Park(const std::string& result, const json& more = json::object()) {
    Start({Script().CallTool("get_time").ExpectToolResult(result).Text("done").TurnEnded(),
           Script().ExpectRequest(kCold).Text("cold").TurnEnded()});
    AskFirst(more);
  }
  void ParkForCancel(const json& more = json::object()) {
    Start({Script().CallTool("get_time").NoAwait().ExpectCancel(), Script().Text("b").TurnEnded()});
    AskFirst(more);
  }
  void AskFirst(const json& more) {
    first_ = Ask(messages_, more);
    ASSERT_THAT(first_.calls(), SizeIs(1));
    call_ = first_.calls()[0];
  }
  // The answer to a request with this content of the user after the call.
  Answer GoOn(const json& content, const json& more = json::object()) {
    json messages = messages_;
    messages.push_back(Assistant(first_.content()));
    messages.push_back(User(content));
    return Ask(messages, more);
  }

  json messages_ = json::array({User("time?")});
  Answer first_;
  json call_;
};

TEST_F(ParkedMessagesTest, KeepsTheTurnWhereTextStandsBehindTheResult) {
  Park(Success("noon\n\n<system-reminder>be kind</system-reminder>"));
  EXPECT_EQ(GoOn({ResultOf(call_, "noon"), TextBlock("<system-reminder>be kind</system-reminder>")})
                .text(),
            "done");
  ExpectNoViolations(1);
}

TEST_F(ParkedMessagesTest, TellsTheModelOfAFailedTool) {
  Park(R"({"success": {"content": [{"text": {"text": "no clock"}}], "is_error": true}})");
  json result = ResultOf(call_, "no clock");
  result["is_error"] = true;
  EXPECT_EQ(GoOn(json::array({result})).text(), "done");
  ExpectNoViolations(1);
}

TEST_F(ParkedMessagesTest, TakesAResultThatIsAnImageAlone) {
  Park(R"({"success": {"content": [{"image": {"mime_type": "image/gif"}}]}})");
  const json image = {
      {"type", "image"},
      {"source",
       {{"type", "base64"}, {"media_type", "image/gif"}, {"data", "R0lGODlhAQABAAAAACw="}}}};
  EXPECT_EQ(GoOn(json::array({ResultOf(call_, json::array({image}))})).text(), "done");
  ExpectNoViolations(1);
}

TEST_F(ParkedMessagesTest, TakesAnEmptyResult) {
  Park(Success(""));
  json result = ResultOf(call_, "");
  result.erase("content");
  EXPECT_EQ(GoOn(json::array({result})).text(), "done");
  ExpectNoViolations(1);
}

TEST_F(ParkedMessagesTest, FindsTheTurnThoughMarksOfTheCacheMoveAndBlocksBecomeStrings) {
  messages_ = json::array({User(json::array(
      {{{"type", "text"}, {"text", "time?"}, {"cache_control", {{"type", "ephemeral"}}}}}))});
  Park(Success("noon"),
       {{"system", {TextBlock("x-anthropic-billing-header: cch=1;"), TextBlock("be brief")}}});
  messages_ = json::array({User("time?")});
  json content = first_.content();
  content.insert(content.begin(),
                 {{"type", "thinking"}, {"thinking", "x"}, {"signature", "foreign"}});
  json result = ResultOf(call_, json::array({TextBlock("noon")}));
  result["cache_control"] = {{"type", "ephemeral"}};
  json messages = messages_;
  messages.push_back(Assistant(content));
  messages.push_back(User(json::array({result})));
  EXPECT_EQ(
      Ask(messages,
          {{"system", {TextBlock("x-anthropic-billing-header: cch=2;"), TextBlock("be brief")}}})
          .text(),
      "done");
  ExpectNoViolations(1);
}

TEST_F(ParkedMessagesTest, KeepsTheTurnWhereASystemMessageIsAdded) {
  messages_ = {User("time?"), System("the date is new")};
  Park(Success("noon\n\nbe quick"));
  json messages = messages_;
  messages.push_back(Assistant(first_.content()));
  messages.push_back(User(json::array({ResultOf(call_, "noon")})));
  messages.push_back(System("be quick"));
  EXPECT_EQ(Ask(messages).text(), "done");
  ExpectNoViolations(1);
}

TEST_F(ParkedMessagesTest, KeepsTheTurnWhereTheListOfToolsHasGrown) {
  Park(Success("noon"));
  const json more = {{"tools", {Tool("get_weather"), Tool("get_time"), Tool("get_news")}}};
  EXPECT_EQ(GoOn(json::array({ResultOf(call_, "noon")}), more).text(), "done");
  ExpectNoViolations(1);
}

TEST_F(ParkedMessagesTest, BeginsAnewWhereTheRequestAllowsLess) {
  const Script parked = Script().CallTool("get_time").NoAwait().ExpectCancel();
  const Script cold = Script().ExpectRequest(kCold).Text("cold").TurnEnded();
  Start({parked, cold, parked, cold});
  const json none = {{"tool_choice", {{"type", "none"}}}};
  const json fewer = {{"tools", {Tool("get_time")}}};
  for (const json& less : {none, fewer}) {
    SCOPED_TRACE(less.dump());
    AskFirst(json::object());
    EXPECT_EQ(GoOn(json::array({ResultOf(call_, "noon")}), less).text(), "cold");
  }
  ExpectNoViolations(4);
}

TEST_F(ParkedMessagesTest, BeginsAnewWhereAResultLoadsATool) {
  Start({Script().CallTool("get_time").NoAwait().ExpectCancel(),
         Script().ExpectRequest(kCold).Text("cold").TurnEnded()});
  AskFirst(json::object());
  const json reference = {{"type", "tool_reference"}, {"tool_name", "get_news"}};
  const json more = {{"tools", {Tool("get_weather"), Tool("get_time"), Tool("get_news")}}};
  EXPECT_EQ(
      GoOn({ResultOf(call_, json::array({reference})), TextBlock("Tool loaded.")}, more).text(),
      "cold");
  ExpectNoViolations(2);
}

TEST_F(ParkedMessagesTest, CancelsATurnThatTheUserInterrupts) {
  ParkForCancel();
  EXPECT_EQ(GoOn("[Request interrupted by user]").text(), "b");
  ExpectNoViolations(2);
}

// --- sessions

constexpr char kSession[] = "x-claude-code-session-id: s1\r\n";

TEST_F(ParkedMessagesTest, CancelsATurnThatItsSessionHasLeft) {
  fields_ = kSession;
  ParkForCancel();
  EXPECT_EQ(Ask({messages_[0], Assistant("[Tool use interrupted]"), User("go on")}).text(), "b");
  ExpectNoViolations(2);
}

TEST_F(ParkedMessagesTest, CancelsATurnThatItsSessionHasLeftWhateverItsTools) {
  fields_ = kSession;
  ParkForCancel();
  const json more = {{"tools", {Tool("get_news")}}};
  EXPECT_EQ(Ask({messages_[0], Assistant("[Tool use interrupted]"), User("go on")}, more).text(),
            "b");
  ExpectNoViolations(2);
}

TEST_F(ParkedMessagesTest, KeepsATurnBesideOtherRequestsOfItsSession) {
  fields_ = kSession;
  Start({Script().CallTool("get_time").ExpectToolResult(Success("noon")).Text("done").TurnEnded(),
         Script().Text("A title").TurnEnded()});
  AskFirst(json::object());
  // A title is asked for, a search, and a sub-agent begins with the same words.
  EXPECT_EQ(Ask(messages_, {{"system", "Name the conversation"}, {"tools", json::array()}}).text(),
            "A title");
  EXPECT_EQ(Say("Perform a web search").text(), "A title");
  fields_ = std::string(kSession) + "x-claude-code-agent-id: a1\r\n";
  EXPECT_EQ(Ask({messages_[0], Assistant("sub"), User("go on")}).text(), "A title");
  fields_ = "x-claude-code-session-id: s2\r\n";
  EXPECT_EQ(Ask({messages_[0], Assistant("other"), User("go on")}).text(), "A title");
  fields_ = kSession;
  EXPECT_EQ(GoOn(json::array({ResultOf(call_, "noon")})).text(), "done");
  ExpectNoViolations(5);
}

TEST_F(MessagesTest, CancelsTheFirstTurnWhereItIsAskedAgainWithoutAStream) {
  Start({Script().Text("one").ExpectCancel(), Script().Text("two").TurnEnded()});
  fields_ = kSession;
  RawClient first(port_);
  Send(first, json::array({User("hi")}), kStream);
  first.ReadUntil("one");
  EXPECT_EQ(Say("hi").text(), "two");
  ExpectNoViolations(2);
}

TEST_F(MessagesTest, AnswersThreeSubAgentsAtOnce) {
  const Script turn =
      Script().CallTool("get_time").ExpectToolResult(Success("noon")).Text("done").TurnEnded();
  Start({turn, turn, turn});
  fields_ = kSession;
  std::vector<std::unique_ptr<RawClient>> clients;
  std::vector<Answer> answers;
  const json messages = json::array({User("explore")});
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawClient>(port_));
    Send(*clients.back(), messages, kStream);
  }
  std::set<std::string> ids;
  for (const auto& client : clients) {
    answers.push_back(ReadAnswer(*client));
    ASSERT_THAT(answers.back().calls(), SizeIs(1));
    ids.insert(answers.back().calls()[0]["id"]);
  }
  EXPECT_THAT(ids, SizeIs(3));
  fields_ = "";
  for (const Answer& answer : answers) {
    EXPECT_EQ(Ask({messages[0], Assistant(answer.content()),
                   User(json::array({ResultOf(answer.calls()[0], "noon")}))})
                  .text(),
              "done");
  }
  ExpectNoViolations(3);
}

// --- conversations

TEST_F(MessagesTest, GoesOnFromTheStateOfTheServiceWithNewRules) {
  Start({Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
         Script()
             .ExpectRequest(R"({"action": {"user_message_action": {"user_message":
                                 {"text": "two"}}}})")
             .Text("b")
             .TurnEnded()});
  json messages = json::array({User("one"), System("first")});
  EXPECT_EQ(Ask(messages).text(), "a");
  messages.push_back(Assistant("a"));
  messages.push_back(User("two"));
  messages.push_back(System("second"));
  EXPECT_EQ(Ask(messages).text(), "b");
  ExpectNoViolations(2);
}

TEST_F(MessagesTest, AnswersCompactionAsAPlainTurn) {
  Start({Script().Text("a").TurnEnded(),
         Script()
             .ExpectRequest(R"({"action": {"user_message_action": {"user_message":
                                 {"text": {"$contains": "TEXT ONLY"}}}}})")
             .Text("summary")
             .TurnEnded()});
  EXPECT_EQ(Say("one").text(), "a");
  EXPECT_EQ(Ask({User("one"), Assistant("a"), User("Respond with TEXT ONLY")}).text(), "summary");
  ExpectNoViolations(2);
}

// --- time

TEST_F(MessagesTest, ShowsLifeWhileTheModelThinks) {
  Start({Script().ExpectCancel()});
  RawClient client(port_);
  Send(client, json::array({User("hi")}), kStream);
  while (Metrics().find("cursor_gateway_runs_active 1\n") == std::string::npos) {
  }
  thread_.Advance(kHeadersWait);
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("200 OK"));
  thread_.Advance(kKeepAliveInterval);
  EXPECT_THAT(client.ReadUntil("\n\n\r\n"),
              HasSubstr("event: ping\ndata: {\"type\":\"ping\"}\n\n"));
  // Pings do not keep Claude Code: something of the content must come.
  thread_.Advance(kEventInterval);
  EXPECT_THAT(client.ReadUntil("\"text_delta\",\"text\":\"\"}}"), HasSubstr("content_block_start"));
  thread_.Advance(kEventInterval);
  EXPECT_THAT(client.ReadUntil("content_block_delta"), Not(HasSubstr("content_block_start")));
  client.Close();
  ExpectNoViolations(1);
}

TEST_F(MessagesTest, IsOverloadedWhereItIsFull) {
  cursorwire::LocalUpstreamOptions upstream;
  upstream.scripts = {Script().Text("endless").ExpectCancel()};
  Start(std::move(upstream), {.keys = ApiKeys::Of("a-key")});
  const std::string request =
      Post("/v1/messages", Body(json::array({User("hi")}), kStream).dump(), "x-api-key: a-key\r\n");
  std::vector<std::unique_ptr<RawClient>> clients;
  for (size_t i = 0; i < kMaxRunsPerKey; ++i) {
    clients.push_back(std::make_unique<RawClient>(port_));
    clients.back()->Send(request);
    ASSERT_THAT(clients.back()->ReadUntil("endless"), HasSubstr(" 200 "));
  }
  RawClient client(port_);
  client.Send(request);
  const std::string response = client.ReadResponse();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 529 "));
  EXPECT_THAT(response, HasSubstr("Retry-After: "));
  EXPECT_EQ(json::parse(BodyOf(response))["error"]["type"], "overloaded_error");
  clients.clear();
  ExpectNoViolations(kMaxRunsPerKey);
}

TEST_F(MessagesTest, CancelsWhenTheClientLeaves) {
  Start({Script().Text("one").ExpectCancel().Within(seconds(5))});
  RawClient client(port_);
  Send(client, json::array({User("hi")}), kStream);
  client.ReadUntil("one");
  client.Close();
  ExpectNoViolations(1);
}

// --- models

TEST_F(MessagesTest, AsksForTheModelThatTheMapNames) {
  cursorwire::LocalUpstreamOptions upstream;
  upstream.scripts = {Script()
                          .ExpectRequest(R"({"requested_model": {"model_id": "acme-5.5"}})")
                          .Text("ok")
                          .TurnEnded()};
  GatewayOptions options;
  ASSERT_TRUE(options.chat.model_map.Add("claude-haiku-*=acme-5.5,gpt-x=acme-5.5").ok());
  Start(std::move(upstream), std::move(options));
  const Answer answer = Say("hi", {{"model", "claude-haiku-4-5-20251001"}});
  EXPECT_EQ(answer.text(), "ok");
  EXPECT_EQ(answer.message["model"], "claude-haiku-4-5-20251001");
  EXPECT_EQ(AskChat(port_, ChatBody(json::array({UserSays("hi")}), {{"model", "gpt-x"}})).text(),
            "ok");
  ExpectNoViolations(2);
}

TEST_F(MessagesTest, AnswersUnknownClaudeNamesByTheDefaultOfTheAccount) {
  Start({Script()
             .ExpectRequest(R"({"requested_model": {"model_id": "default"}})")
             .Text("ok")
             .TurnEnded()});
  const Answer answer = Say("hi", {{"model", "claude-haiku-4-5-20251001"}});
  EXPECT_EQ(answer.text(), "ok");
  EXPECT_EQ(answer.message["model"], "claude-haiku-4-5-20251001");
  EXPECT_THAT(WholeLog(), HasSubstr("answered by auto"));
  ExpectNoViolations(1);
}

TEST_F(MessagesTest, TakesTheNearestEffort) {
  Start({Script()
             .ExpectRequest(R"({"requested_model": {"model_id": "acme-5.5",
                "parameters": {"$contains": {"id": "reasoning", "value": "high"}}}})")
             .Text("ok")
             .TurnEnded(),
         Script().Text("ok").TurnEnded()});
  const json effort = {{"output_config", {{"effort", "max"}}}};
  json more = effort;
  more["model"] = "acme-5.5";
  EXPECT_EQ(Say("hi", more).text(), "ok");
  EXPECT_EQ(Say("hi", effort).text(), "ok");  // a model that nobody knows
  more["output_config"]["effort"] = "unheard-of";
  EXPECT_EQ(Say("hi", more).text(), "ok");
  ExpectNoViolations(3);
}

TEST_F(MessagesTest, ListsModelsForBothFamiliesOfSdks) {
  Start({Script().TurnEnded()});
  RawClient client(port_);
  client.Send(Get("/v1/models?limit=1000", "anthropic-version: 2023-06-01\r\n"));
  const json list = json::parse(BodyOf(client.ReadResponse()));
  EXPECT_EQ(list["object"], "list");
  EXPECT_EQ(list["has_more"], false);
  EXPECT_EQ(list["first_id"], list["data"][0]["id"]);
  client.Send(Get("/v1/models/no%2Fsuch", "anthropic-version: 2023-06-01\r\n"));
  const json error = json::parse(BodyOf(client.ReadResponse()));
  EXPECT_EQ(error["type"], "error");
  EXPECT_EQ(error["error"]["type"], "not_found_error");
}

// --- searches of Claude Code

TEST_F(MessagesTest, AnswersARequestForASearchWithText) {
  Start({Script().Text("found").TurnEnded()});
  const json web = {{"type", "web_search_20250305"}, {"name", "web_search"}, {"max_uses", 8}};
  const Answer answer = Say(
      "Perform a web search for the query: x",
      {{"tools", json::array({web})}, {"tool_choice", {{"type", "tool"}, {"name", "web_search"}}}});
  EXPECT_EQ(answer.text(), "found");
  EXPECT_THAT(WholeLog(), HasSubstr("tools left out: web_search_20250305"));
}

// --- errors

TEST_F(MessagesTest, TellsOfErrorsInTheFormOfTheApi) {
  Start({Script().Error("not_found", "Error",
                        {{.error = "ERROR_BAD_MODEL_NAME", .title = "No such model"}}),
         Script().Error("unauthenticated", "Error"),
         Script().Error("resource_exhausted", "Error",
                        {{.error = "ERROR_USER_ABORTED_REQUEST", .title = "Usage limit"}}),
         Script().Error("internal", "Error"), Script().Error("permission_denied", "Error")});
  const Answer model = Say("hi", kStream);
  EXPECT_EQ(model.status, 404);
  EXPECT_EQ(model.error(), "not_found_error");
  EXPECT_EQ(model.message["type"], "error");
  EXPECT_THAT(model.head,
              HasSubstr("request-id: " + model.message["request_id"].get<std::string>()));
  const Answer token = Say("hi");
  EXPECT_EQ(token.status, 401);
  EXPECT_EQ(token.error(), "authentication_error");
  EXPECT_THAT(token.head, HasSubstr("x-should-retry: false\r\n"));
  const Answer quota = Say("hi");
  EXPECT_EQ(quota.status, 429);
  EXPECT_EQ(quota.error(), "rate_limit_error");
  EXPECT_THAT(quota.head, HasSubstr("x-should-retry: false\r\n"));
  EXPECT_EQ(Say("hi").error(), "api_error");
  EXPECT_EQ(Say("hi").error(), "permission_error");
}

TEST_F(MessagesTest, TellsHowLongAPromptIsThatIsTooLong) {
  Start({Script().Error("resource_exhausted", "Error",
                        {{.error = "ERROR_CONVERSATION_TOO_LONG", .title = "Too long"}})});
  const Answer answer = Say("hi", kStream);
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.error(), "invalid_request_error");
  EXPECT_THAT(answer.message["error"]["message"].get<std::string>(),
              MatchesRegex("prompt is too long: [0-9]+ tokens > [0-9]+ maximum"));
}

TEST_F(MessagesTest, EndsABrokenStreamWithAnErrorEvent) {
  Start({Script().Text("Hel").Error("internal", "Error"), Script().Text("Hel").Drop()});
  for (int i = 0; i < 2; ++i) {
    const Answer answer = Say("hi", kStream);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.lines.back(), "event: error");
    EXPECT_THAT(answer.message["error"]["type"].get<std::string>(), Not(IsEmpty()));
    EXPECT_THAT(answer.message["request_id"].get<std::string>(), HasSubstr("req_"));
    for (const json& event : answer.events) EXPECT_NE(event["type"], "message_delta");
  }
}

TEST_F(MessagesTest, RefusesBadFieldsAndThreads) {
  Start({Script().TurnEnded()});
  const Answer prefill = Ask({User("x"), Assistant("{")});
  EXPECT_EQ(prefill.status, 400);
  EXPECT_EQ(prefill.error(), "invalid_request_error");
  const Answer thread = Say("hi", {{"thread", {{"type", "create"}}}});
  EXPECT_EQ(thread.status, 400);
  EXPECT_EQ(thread.message["error"]["details"]["error_code"], "thread_unsupported_request");
  EXPECT_EQ(upstream_->runs_ended(), 0U);
}

TEST_F(MessagesTest, TellsOfARefusedKeyInTheFormOfTheApi) {
  StartWithKeys({Script().Text("ok").TurnEnded()});
  const Answer refused = Say("hi");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.error(), "authentication_error");
  EXPECT_THAT(refused.head, HasSubstr("x-should-retry: false\r\n"));
  EXPECT_THAT(refused.head, HasSubstr("request-id: req_"));
  // On other paths the header of the version tells.
  const Answer models = AskPath(Get("/v1/models", "anthropic-version: 2026-10-21\r\n"));
  EXPECT_EQ(models.error(), "authentication_error");
  EXPECT_TRUE(AskPath(Get("/v1/models")).message["error"].contains("param"));
  // SDKs send either header, Claude Code both, of which one may be a key of somebody else.
  for (const char* fields : {"Authorization: Bearer key-one\r\n", "x-api-key: key-one\r\n",
                             "x-api-key: other\r\nAuthorization: Bearer key-one\r\n",
                             "x-api-key: key-one\r\nAuthorization: Bearer other\r\n"}) {
    fields_ = fields;
    EXPECT_EQ(Say("hi").text(), "ok") << fields;
  }
}

TEST_F(MessagesTest, SaysWhereItIsForAPathWithTwoVersions) {
  Start({Script().TurnEnded()});
  const Answer answer = AskPath(Post("/v1/v1/messages", "{}", "anthropic-version: 2023-06-01\r\n"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.error(), "not_found_error");
  EXPECT_THAT(answer.message["error"]["message"].get<std::string>(),
              HasSubstr("there is /v1/messages"));
}

TEST_F(MessagesTest, AsksTheClientToComeBackWhenItDrains) {
  Start({Script().TurnEnded()});
  thread_.Do([this] { gateway_->Drain(); });
  const Answer answer = Say("hi");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.error(), "api_error");
  EXPECT_THAT(answer.head, HasSubstr("Retry-After: 1\r\n"));
}

TEST_F(MessagesTest, KeepsTurnsOfOtherKeysApart) {
  StartWithKeys(
      {Script().CallTool("get_time").ExpectToolResult(Success("noon")).Text("a").TurnEnded(),
       Script().ExpectRequest(kCold).Text("stranger").TurnEnded()});
  fields_ = "Authorization: Bearer key-one\r\nx-claude-code-session-id: s\r\n";
  json messages = json::array({User("time?")});
  const Answer first = Ask(messages);
  ASSERT_THAT(first.calls(), SizeIs(1));
  messages.push_back(Assistant(first.content()));
  messages.push_back(User(json::array({ResultOf(first.calls()[0], "noon")})));
  fields_ = "Authorization: Bearer key-two\r\nx-claude-code-session-id: s\r\n";
  EXPECT_EQ(Ask(messages).text(), "stranger");
  fields_ = "Authorization: Bearer key-one\r\nx-claude-code-session-id: s\r\n";
  EXPECT_EQ(Ask(messages).text(), "a");
  ExpectNoViolations(2);
}

TEST_F(MessagesTest, LogsNothingOfARequest) {
  Start({Script().Text("ok").TurnEnded()});
  EXPECT_EQ(Say("hi", {{"metadata", {{"user_id", "private-id"}}}}).text(), "ok");
  EXPECT_THAT(WholeLog(), HasSubstr("POST /v1/messages 200"));
  EXPECT_THAT(WholeLog(), Not(HasSubstr("private-id")));
}

// --- count_tokens

TEST_F(MessagesTest, CountsTokensWithoutATurn) {
  Start({Script().TurnEnded()});
  const std::string body = Body(json::array({User("hi")}), json::object()).dump();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 18; ++i) {
    clients.push_back(std::make_unique<RawClient>(port_));
    clients.back()->Send(Post("/v1/messages/count_tokens?beta=true", body));
  }
  for (const auto& client : clients) {
    const Answer answer = ReadAnswer(*client);
    EXPECT_EQ(answer.status, 200);
    EXPECT_GE(answer.message["input_tokens"], 1);
  }
  EXPECT_EQ(upstream_->runs_ended(), 0U);
  EXPECT_EQ(AskPath(Post("/v1/messages/count_tokens", "{}")).error(), "invalid_request_error");
}

}  // namespace
}  // namespace cursor_gateway
