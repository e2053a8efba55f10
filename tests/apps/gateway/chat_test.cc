#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iterator>
#include <string>
#include <vector>

#include "apps/gateway/chat_client.h"
#include "apps/gateway/gateway_fixture.h"

namespace cursor_gateway {
namespace {

using cursorwire::Script;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kUsage[] = R"({"input_tokens":"100","output_tokens":"7","cache_read_tokens":"60",
                              "cache_write_tokens":"5","reasoning_tokens":"3"})";
const json kStream = {{"stream", true}};

class ChatTest : public GatewayFixture {
 protected:
  ChatResult Ask(const json& messages, const json& more = json::object()) {
    return AskChat(port_, ChatBody(messages, more));
  }
  ChatResult Say(const std::string& text, const json& more = json::object()) {
    return Ask(json::array({UserSays(text)}), more);
  }
  void ExpectNoViolations(size_t runs) {
    EXPECT_TRUE(upstream_->WaitForRuns(runs, seconds(10)));
    EXPECT_THAT(upstream_->violations(), IsEmpty());
  }
};

TEST_F(ChatTest, AnswersAtOnce) {
  Start({Script()
             .ExpectRequest(R"({"requested_model": {"model_id": "some-model"},
                "action": {"user_message_action": {"user_message": {"text": "hi"}}}})")
             .Thinking("hm")
             .Text("Hel")
             .Text("lo")
             .TurnEnded(kUsage)});
  const ChatResult answer = Say("hi");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_EQ(answer.message(), json::parse(R"({"role":"assistant","content":"Hello","refusal":null,
                                              "reasoning_content":"hm"})"));
  EXPECT_EQ(answer.finish_reason(), "stop");
  EXPECT_EQ(answer.body["model"], "some-model");
  EXPECT_THAT(answer.body["id"].get<std::string>(), ::testing::StartsWith("chatcmpl-"));
  EXPECT_EQ(answer.body["usage"], json::parse(R"({"prompt_tokens":100,"completion_tokens":7,
    "total_tokens":107,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":5},
    "completion_tokens_details":{"reasoning_tokens":3}})"));
  ExpectNoViolations(1);
}

TEST_F(ChatTest, StreamsInTheOrderOfTheApi) {
  Start({Script().Thinking("hm").Text("Hel").Text("lo").TurnEnded(kUsage)});
  const ChatResult answer =
      Say("hi", {{"stream", true}, {"stream_options", {{"include_usage", true}}}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.head, HasSubstr("Content-Type: text/event-stream; charset=utf-8\r\n"));
  EXPECT_THAT(answer.head, HasSubstr("Cache-Control: no-cache, no-transform\r\n"));
  EXPECT_THAT(answer.head, HasSubstr("X-Accel-Buffering: no\r\n"));
  ASSERT_THAT(answer.chunks, SizeIs(6));
  EXPECT_EQ(answer.chunks[0]["choices"][0]["delta"]["role"], "assistant");
  EXPECT_EQ(answer.chunks[1]["choices"][0]["delta"], json({{"reasoning_content", "hm"}}));
  EXPECT_EQ(answer.text(), "Hello");
  EXPECT_EQ(answer.chunks[4]["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(answer.chunks[5]["usage"]["total_tokens"], 107);
  EXPECT_TRUE(answer.done);
  EXPECT_THAT(Say("hi", kStream).chunks.back()["choices"], SizeIs(1));  // no usage unasked
}

TEST_F(ChatTest, TellsOfAnErrorBeforeTheAnswerByItsStatus) {
  Start(
      {Script().Error("not_found", "Error",
                      {{.error = "ERROR_BAD_MODEL_NAME", .title = "No such model", .detail = "d"}}),
       Script().Error("unauthenticated", "Error"),
       Script().Error("resource_exhausted", "Error",
                      {{.error = "ERROR_USER_ABORTED_REQUEST", .title = "Usage limit reached"}}),
       Script().Error("internal", "Error"),
       Script().HttpStatus(500, "<html>oops</html>", "text/html")});
  const ChatResult model = Say("hi", kStream);
  EXPECT_EQ(model.status, 404);
  EXPECT_EQ(model.body["error"]["code"], "model_not_found");
  EXPECT_THAT(model.body["error"]["message"].get<std::string>(), HasSubstr("No such model"));
  const ChatResult token = Say("hi");
  EXPECT_EQ(token.status, 401);
  EXPECT_THAT(token.head, HasSubstr("x-should-retry: false\r\n"));
  EXPECT_THAT(token.body["error"]["message"].get<std::string>(), HasSubstr("own access token"));
  const ChatResult quota = Say("hi", kStream);
  EXPECT_EQ(quota.status, 429);
  EXPECT_EQ(quota.body["error"]["code"], "insufficient_quota");
  EXPECT_THAT(quota.head, HasSubstr("x-should-retry: false\r\n"));
  EXPECT_EQ(Say("hi").status, 502);
  const ChatResult html = Say("hi");
  EXPECT_EQ(html.status, 502);
}

TEST_F(ChatTest, TellsOfALaterErrorInTheStream) {
  Start({Script().Text("Hel").Error("internal", "Error")});
  const ChatResult answer = Say("hi", kStream);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.text(), "Hel");
  EXPECT_EQ(answer.finish_reason(), "");
  EXPECT_FALSE(answer.done);
  EXPECT_EQ(answer.chunks.back()["error"]["code"], "upstream_internal");
  EXPECT_EQ(Say("hi").status, 502);
}

TEST_F(ChatTest, TakesALossBehindTheEndForSuccess) {
  Start({Script().Text("all").TurnEnded().Drop()});
  EXPECT_TRUE(Say("hi", kStream).done);
}

TEST_F(ChatTest, CutsAtAStopAndCancelsTheTurn) {
  Start({Script().Text("one ST").Text("OP two").ExpectCancel()});
  const ChatResult answer = Say("hi", {{"stream", true}, {"stop", {"END", "STOP"}}});
  EXPECT_EQ(answer.text(), "one ");
  EXPECT_EQ(answer.finish_reason(), "stop");
  EXPECT_TRUE(answer.done);
  const ChatResult whole = Say("hi", {{"stop", "STOP"}});
  EXPECT_EQ(whole.text(), "one ");
  ExpectNoViolations(2);
}

TEST_F(ChatTest, GivesRulesAndImagesToTheModel) {
  Start({Script()
             .GetRootPromptBlob(1)
             .Expect(R"({"blob_data": {"$text": {"$contains": "be brief\\n\\nbe kind"}}})")
             .Text("ok")
             .TurnEnded()});
  EXPECT_EQ(Ask(json::array({{{"role", "system"}, {"content", "be brief"}},
                             UserSays("hi"),
                             {{"role", "developer"}, {"content", "be kind"}}}))
                .text(),
            "ok");
  ExpectNoViolations(1);
}

TEST_F(ChatTest, CancelsWhenTheClientLeaves) {
  Start({Script().Text("one").ExpectCancel().Within(seconds(5)),
         Script().ExpectCancel().Within(seconds(5))});
  RawClient streamed(port_);
  streamed.Send(
      Post("/v1/chat/completions", ChatBody(json::array({UserSays("hi")}), kStream).dump()));
  streamed.ReadUntil("one");
  streamed.Close();
  EXPECT_TRUE(upstream_->WaitForRuns(1, seconds(10)));
  RawClient whole(port_);
  whole.Send(Post("/v1/chat/completions", ChatBody(json::array({UserSays("hi")})).dump()));
  RawClient other(port_);
  do {  // until the turn has begun
    other.Send(Get("/metrics"));
  } while (other.ReadResponse().find("cursor_gateway_runs_total 2\n") == std::string::npos);
  whole.Reset();
  ExpectNoViolations(2);
  other.Send(Get("/metrics"));
  EXPECT_THAT(other.ReadResponse(), HasSubstr("cursor_gateway_cancelled_total 2\n"));
}

TEST_F(ChatTest, SendsHeadersAndSignsOfLifeWhileTheModelThinks) {
  Start({Script().ExpectCancel()});
  RawClient client(port_);
  client.Send(
      Post("/v1/chat/completions", ChatBody(json::array({UserSays("hi")}), kStream).dump()));
  RawClient other(port_);
  do {
    other.Send(Get("/metrics"));
  } while (other.ReadResponse().find("cursor_gateway_runs_active 1\n") == std::string::npos);
  thread_.Advance(kHeadersWait);
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("200 OK"));
  thread_.Advance(kKeepAliveInterval);
  EXPECT_THAT(client.ReadUntil("\n\n\r\n"), HasSubstr(": keepalive"));
  thread_.Advance(kKeepAliveInterval);
  EXPECT_THAT(client.ReadUntil("\n\n\r\n"), HasSubstr(": keepalive"));
  client.Close();
  ExpectNoViolations(1);
}

TEST_F(ChatTest, HoldsTheServiceBackForASlowReader) {
  Script script;
  const std::string piece(size_t{256} * 1024, 'x');
  for (int i = 0; i < 64; ++i) script.Text(piece);  // 16 MiB
  Start({script.TurnEnded(), Script().Text("quick").TurnEnded()});
  RawClient slow(port_);
  slow.Send(
      Post("/v1/chat/completions", ChatBody(json::array({UserSays("much")}), kStream).dump()));
  slow.ReadUntil("\r\n\r\n");
  // Others are answered meanwhile, on the same connection to the service.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Say("hi").text(), "quick");
  EXPECT_TRUE(upstream_->WaitForRuns(20, seconds(10)));
  EXPECT_EQ(upstream_->runs_ended(), 20U);  // not the slow one
  EXPECT_THAT(slow.ReadUntil("[DONE]"), SizeIs(::testing::Gt(16U << 20)));
}

TEST_F(ChatTest, NamesWhatIsWrongWithARequest) {
  Start({Script().TurnEnded()});
  const ChatResult answer = Say("hi", {{"n", 2}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body["error"]["param"], "n");
  EXPECT_EQ(Ask(json::array({AssistantSaid("prefill")})).status, 400);
  EXPECT_EQ(upstream_->runs_ended(), 0U);
}

TEST_F(ChatTest, AsksForTheEffortThatAModelAdvertises) {
  Start({Script()
             .ExpectRequest(R"({"requested_model": {"model_id": "acme-5.5",
                "parameters": {"$contains": {"id": "reasoning", "value": "high"}}}})")
             .Text("ok")
             .TurnEnded(),
         Script()
             .ExpectRequest(R"({"requested_model": {"model_id": "cast-1-codex-max"}})")
             .Text("ok")
             .TurnEnded(),
         Script()
             .ExpectRequest(R"({"requested_model": {"model_id": "default"}})")
             .Text("ok")
             .TurnEnded()});
  const auto ask = [this](const char* model, const char* effort) {
    return Say("hi", {{"model", model}, {"reasoning_effort", effort}});
  };
  EXPECT_EQ(ask("acme-5.5", "high").text(), "ok");
  EXPECT_EQ(ask("cast-1-codex-max", "high").text(), "ok");
  EXPECT_EQ(ask("auto", "low").text(), "ok");
  const ChatResult refused = ask("acme-5.5", "max");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body["error"]["param"], "reasoning_effort");
  ExpectNoViolations(3);
}

TEST_F(ChatTest, DoesTheSameRequestOnceForAnIdempotencyKey) {
  Start({Script().Text("one").TurnEnded(), Script().Error("internal", "Error"),
         Script().Text("two").TurnEnded()});
  const std::string key = "Idempotency-Key: k1\r\n";
  const json body = ChatBody(json::array({UserSays("hi")}));
  const ChatResult first = AskChat(port_, body, key);
  EXPECT_EQ(first.text(), "one");
  EXPECT_EQ(AskChat(port_, body, key).body, first.body);
  const ChatResult other = AskChat(port_, ChatBody(json::array({UserSays("ho")})), key);
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(other.body["error"]["code"], "idempotency_mismatch");
  // What failed is done again, and so is what has got too old.
  EXPECT_EQ(AskChat(port_, body, "Idempotency-Key: k2\r\n").status, 502);
  EXPECT_EQ(AskChat(port_, body, "Idempotency-Key: k2\r\n").text(), "two");
  thread_.Advance(kIdempotencyLife);
  EXPECT_EQ(AskChat(port_, body, key).text(), "two");
  ExpectNoViolations(4);
}

TEST_F(ChatTest, RefusesASecondRequestWhileTheFirstIsAnswered) {
  Start({Script().Text("one").ExpectCancel()});
  const std::string key = "Idempotency-Key: k1\r\n";
  const json body = ChatBody(json::array({UserSays("hi")}), kStream);
  RawClient first(port_);
  first.Send(Post("/v1/chat/completions", body.dump(), key));
  first.ReadUntil("one");
  const ChatResult second = AskChat(port_, body, key);
  EXPECT_EQ(second.status, 409);
  EXPECT_EQ(second.body["error"]["code"], "idempotency_in_progress");
  first.Close();
  ExpectNoViolations(1);
}

// --- conversations

// A turn that leaves a state which names it.
Script Turn(const std::string& text, const std::string& state) {
  return Script().Text(text).TurnEnded().CheckpointBytes(state);
}
constexpr char kFirstState[] = "\x50\x01";
constexpr char kSecondState[] = "\x50\x02";

TEST_F(ChatTest, GoesOnFromTheStateOfTheService) {
  Start({Turn("a", kFirstState),
         Script()
             .ExpectRequest(R"({"conversation_state": {"$hex": "5001"},
                "action": {"user_message_action": {"user_message": {"text": "two"}}}})")
             .Text("b")
             .TurnEnded()
             .CheckpointBytes(kSecondState),
         Script()
             .ExpectRequest(R"({"conversation_state": {"$hex": "5002"}})")
             .Text("c")
             .TurnEnded()});
  json messages = json::array({UserSays("one")});
  EXPECT_EQ(Ask(messages).text(), "a");
  messages.push_back({{"role", "assistant"}, {"content", {{{"type", "text"}, {"text", "a \n"}}}}});
  messages.push_back(UserSays("two"));
  EXPECT_EQ(Ask(messages, kStream).text(), "b");
  messages.push_back(AssistantSaid("b"));
  messages.push_back(UserSays("three"));
  EXPECT_EQ(Ask(messages).text(), "c");
  ExpectNoViolations(3);
}

constexpr char kRebuilt[] = R"({"conversation_state": {"$as": {"ConversationStateStructure":
    {"root_prompt_messages_json": {"$size": 3}, "turns": {"$size": 1}}}}})";

TEST_F(ChatTest, BuildsTheConversationAnewWhereItIsNotKnown) {
  Start({Turn("a", kFirstState),
         // Other rules, another text, another client.
         Script().ExpectRequest(kRebuilt).Text("b").TurnEnded()});
  EXPECT_EQ(Say("one").text(), "a");
  EXPECT_EQ(Ask(json::array({UserSays("one, edited"), AssistantSaid("a"), UserSays("two")})).text(),
            "b");
  ExpectNoViolations(2);
}

// One that was rebuilt has the turns; one of the service, in these tests, has none.
std::string StateWithTurns(size_t count) {
  return R"({"conversation_state": {"$as": {"ConversationStateStructure": {"turns": {"$size": )" +
         std::to_string(count) + "}}}}}";
}

// Rules of a format and of tools are in the state of the service, and cannot be taken out of it.
TEST_F(ChatTest, TellsNoRulesOfAFormerRequest) {
  const json tool = {{"type", "function"}, {"function", {{"name", "a"}}}};
  const json former[] = {{{"response_format", {{"type", "json_object"}}}},
                         {{"tools", {tool}}},
                         {{"tools", {tool}}, {"tool_choice", "required"}}};
  std::vector<Script> scripts;
  for (size_t i = 0; i < std::size(former); ++i) {
    for (const size_t turns : {0U, 0U, 2U, 0U}) {
      scripts.push_back(Script()
                            .ExpectRequest(StateWithTurns(turns))
                            .Text("a")
                            .TurnEnded()
                            .CheckpointBytes(kFirstState));
    }
  }
  Start(std::move(scripts));
  for (const json& more : former) {
    SCOPED_TRACE(more.dump());
    json messages = json::array();
    messages.push_back({{"role", "system"}, {"content", "S"}});
    for (int i = 0; i < 4; ++i) {
      messages.push_back(UserSays(std::to_string(i) + more.dump()));
      const ChatResult answer = Ask(messages, i < 2 ? more : json::object());
      EXPECT_EQ(answer.status, 200) << i << ": " << answer.body;
      messages.push_back(AssistantSaid("a"));
    }
  }
  ExpectNoViolations(4 * std::size(former));
}

TEST_F(ChatTest, LetsOneRequestAloneTakeAConversation) {
  Start(
      {Turn("a", kFirstState),
       Script().ExpectRequest(R"({"conversation_state": {"$hex": "5001"}})").Text("b").TurnEnded(),
       Script().ExpectRequest(kRebuilt).Text("again").TurnEnded()});
  EXPECT_EQ(Say("one").text(), "a");
  const json second = {UserSays("one"), AssistantSaid("a"), UserSays("two")};
  EXPECT_EQ(Ask(second).text(), "b");
  EXPECT_EQ(Ask(second).text(), "again");
  ExpectNoViolations(3);
}

TEST_F(ChatTest, PutsAConversationBackWhenItsTurnFails) {
  const char* state = R"({"conversation_state": {"$hex": "5001"}})";
  Start({Turn("a", kFirstState), Script().ExpectRequest(state).Error("invalid_argument", "no"),
         Script().ExpectRequest(state).Text("b").TurnEnded()});
  EXPECT_EQ(Say("one").text(), "a");
  const json second = {UserSays("one"), AssistantSaid("a"), UserSays("two")};
  EXPECT_EQ(Ask(second).status, 400);
  EXPECT_EQ(Ask(second).text(), "b");
  ExpectNoViolations(3);
}

// Who asks next may be another user of the same key.
TEST_F(ChatTest, TellsNothingOfATurnThatWasNotCompleted) {
  const char* state = R"({"conversation_state": {"$hex": "5001"}})";
  Start({Turn("a", kFirstState),
         Script().ExpectRequest(state).Text("half").Error("invalid_argument", "no"),
         Script().ExpectRequest(state).Text("b").TurnEnded()});
  EXPECT_EQ(Say("one").text(), "a");
  const auto ask = [this](const char* text) {
    return Ask(json::array({UserSays("one"), AssistantSaid("a"), UserSays(text)}));
  };
  EXPECT_EQ(ask("two").status, 400);
  EXPECT_EQ(ask("three").text(), "b");
  ExpectNoViolations(3);
}

TEST_F(ChatTest, TellsTheSizeOfTheContextIfAsked) {
  cursorwire::LocalUpstreamOptions upstream;
  upstream.scripts = {
      Script()
          .Text("hi")
          .Checkpoint(R"({"tokenDetails": {"usedTokens": 1200, "maxTokens": 2000}})")
          .TurnEnded(R"({"input_tokens":"5000","output_tokens":"20"})")};
  Start(std::move(upstream), {.chat = {.context_as_prompt = true}});
  const json usage = Say("hi").body["usage"];
  EXPECT_EQ(usage["prompt_tokens"], 1180);
  EXPECT_EQ(usage["total_tokens"], 1200);
  EXPECT_EQ(usage["context_window"], 2000);
}

TEST_F(ChatTest, WaitsForTheSizeOfTheContextWhereItTellsThat) {
  cursorwire::LocalUpstreamOptions upstream;
  upstream.scripts = {
      Script()
          .Text("hi")
          .TurnEnded(R"({"input_tokens":"5000","output_tokens":"20"})")
          .Checkpoint(R"({"tokenDetails": {"usedTokens": 1200, "maxTokens": 2000}})"),
      Script().Text("hi").TurnEnded(R"({"input_tokens":"5000","output_tokens":"20"})")};
  Start(std::move(upstream), {.chat = {.context_as_prompt = true}});
  const json usage = Say("hi").body["usage"];
  EXPECT_EQ(usage["prompt_tokens"], 1180);
  EXPECT_EQ(usage["context_window"], 2000);
  // Where the service does not tell it at all, the answer still ends.
  EXPECT_EQ(Say("hi again").body["usage"]["prompt_tokens"], 5000);
}

}  // namespace
}  // namespace cursor_gateway
