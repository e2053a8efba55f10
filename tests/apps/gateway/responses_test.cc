#include <absl/strings/escaping.h>
#include <absl/strings/str_split.h>
#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/json_text.h"
#include "apps/gateway/chat_client.h"
#include "apps/gateway/gateway_fixture.h"
#include "base/sha256.h"
#include "chat/event_stream.h"
#include "state/state_store.h"

namespace cursor_gateway {
namespace {

using cursorwire::Script;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ResponsesTest : public GatewayFixture {
 protected:
  std::string Answer(const json& body) {
    RawClient client(port_);
    client.Send(Post("/v1/responses", body.dump(), "Connection: close\r\n"));
    return client.ReadToEnd();
  }
  json Ask(const json& input, const json& more = json::object()) {
    json body = {{"model", "some-model"}, {"input", input}};
    body.update(more);
    return json::parse(BodyOf(Answer(body)));
  }
  // The events of a stream: the name stands twice, and they are numbered.
  std::vector<json> Stream(const json& input, const json& more = json::object()) {
    json body = {{"model", "some-model"}, {"input", input}, {"stream", true}};
    body.update(more);
    const std::string bytes = BodyOf(Answer(body));
    std::vector<json> events;
    for (size_t at = 0; at < bytes.size();) {
      const size_t end = bytes.find("\n\n", at);
      const std::string event = bytes.substr(at, end - at);
      const size_t line = event.find("\ndata: ");
      EXPECT_NE(line, std::string::npos) << event;
      events.push_back(json::parse(event.substr(line + 7)));
      EXPECT_EQ(event.substr(0, line), "event: " + events.back()["type"].get<std::string>());
      EXPECT_EQ(events.back()["sequence_number"], events.size() - 1);
      at = end + 2;
    }
    return events;
  }
  static std::vector<std::string> TypesOf(const std::vector<json>& events) {
    std::vector<std::string> types;
    for (const json& event : events) types.push_back(event["type"].get<std::string>().substr(9));
    return types;
  }
  std::string Metrics() {
    RawClient client(port_);
    client.Send(Get("/metrics", "x-api-key: a-key\r\n"));
    return client.ReadResponse();
  }
  void ExpectNoViolations(size_t runs) {
    EXPECT_TRUE(upstream_->WaitForRuns(runs, seconds(10)));
    EXPECT_THAT(upstream_->violations(), IsEmpty());
  }
};

const json kFunction = {
    {"tools",
     {{{"type", "function"}, {"name", "get_time"}, {"parameters", {{"type", "object"}}}}}}};

TEST_F(ResponsesTest, AnswersAtOnce) {
  Start({Script().Thinking("hm").Text("Hel").Text("lo").TurnEnded(
      R"({"input_tokens":"9","output_tokens":"2","cache_read_tokens":"4","reasoning_tokens":"1"})")});
  const json answer = Ask("hi", {{"instructions", "be brief"}, {"metadata", {{"a", "b"}}}});
  EXPECT_THAT(answer["id"].get<std::string>(), StartsWith("resp_"));
  EXPECT_EQ(answer["object"], "response");
  EXPECT_EQ(answer["status"], "completed");
  EXPECT_EQ(answer["model"], "some-model");
  EXPECT_EQ(answer["instructions"], "be brief");
  EXPECT_EQ(answer["metadata"], json({{"a", "b"}}));
  EXPECT_EQ(answer["error"], nullptr);
  EXPECT_EQ(answer["usage"], json::parse(R"({"input_tokens":9,"input_tokens_details":
      {"cached_tokens":4},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":1},
      "total_tokens":11})"));
  ASSERT_THAT(answer["output"], SizeIs(2));
  EXPECT_EQ(answer["output"][0]["type"], "reasoning");
  EXPECT_EQ(answer["output"][0]["summary"][0]["text"], "hm");
  EXPECT_EQ(answer["output"][1]["type"], "message");
  EXPECT_EQ(answer["output"][1]["status"], "completed");
  EXPECT_EQ(answer["output"][1]["content"],
            json::parse(R"([{"type":"output_text","text":"Hello","annotations":[]}])"));
}

TEST_F(ResponsesTest, StreamsTheEventsOfTheApi) {
  Start({Script().Text("Hel").Text("lo").TurnEnded()});
  const std::vector<json> events = Stream("hi");
  EXPECT_THAT(TypesOf(events),
              ElementsAre("created", "in_progress", "output_item.added", "content_part.added",
                          "output_text.delta", "output_text.delta", "output_text.done",
                          "content_part.done", "output_item.done", "completed"));
  EXPECT_EQ(events[0]["response"]["status"], "in_progress");
  const json id = events[2]["item"]["id"];
  for (size_t i = 3; i < 8; ++i) EXPECT_EQ(events[i]["item_id"], id) << i;
  EXPECT_EQ(events[4]["logprobs"], json::array());
  EXPECT_EQ(events[6]["text"], "Hello");
  EXPECT_EQ(events[8]["item"]["id"], id);
  EXPECT_EQ(events[9]["response"]["output"], json::array({events[8]["item"]}));
  EXPECT_EQ(events[9]["response"]["status"], "completed");
}

TEST_F(ResponsesTest, HandsOutCallsAndGoesOnByTheFormerId) {
  Start({Script()
             .Text("let me see")
             .CallTool("get_time", R"({"zone": "UTC"})")
             .ExpectToolResult(R"({"success": {"content": [{"text": {"text": "noon"}}]}})")
             .Text("noon")
             .TurnEnded()});
  const std::vector<json> events = Stream("time?", kFunction);
  const json first = events.back()["response"];
  ASSERT_THAT(first["output"], SizeIs(2));
  const json call = first["output"][1];
  EXPECT_EQ(call["type"], "function_call");
  EXPECT_EQ(call["arguments"], R"({"zone":"UTC"})");
  json more = kFunction;
  more["previous_response_id"] = first["id"];
  const json second = Ask(
      json::array(
          {{{"type", "function_call_output"}, {"call_id", call["call_id"]}, {"output", "noon"}}}),
      more);
  EXPECT_EQ(second["output"][0]["content"][0]["text"], "noon") << second;
  EXPECT_EQ(second["previous_response_id"], first["id"]);
  ExpectNoViolations(1);
}

// What was said, or an error as it came.
std::string TextOf(const json& response) {
  if (!response.contains("output")) return response.dump();
  return response["output"][0]["content"][0]["text"];
}

// A message of the state that has this text.
std::string RootPrompt(const std::string& text) {
  return R"({"blob_data": {"$text": {"$contains": ")" + text + R"("}}})";
}

json DeveloperSays(const std::string& text) { return {{"role", "developer"}, {"content", text}}; }

TEST_F(ResponsesTest, GoesOnInATurnThatWaitsWhateverItsRules) {
  const struct {
    const char* name;
    json instructions;
    std::vector<const char*> rules;  // developer messages
    json later_instructions;
    std::vector<const char*> later_rules;
    const char* told;  // as the result of the call
  } cases[] = {
      {"none", nullptr, {}, nullptr, {}, "noon"},
      {"developer message", nullptr, {"arr"}, nullptr, {}, "noon"},
      {"both", "be brief", {"arr"}, "be brief", {}, "noon"},
      {"instructions left out", "be brief", {"arr"}, nullptr, {}, "noon"},
      {"instructions come later", nullptr, {"arr"}, "be kind", {}, "noon\\n\\nbe kind"},
      {"other instructions", "be brief", {}, "be kind", {"arr"}, "noon\\n\\nbe kind\\n\\narr"},
      {"another rule", "be brief", {"arr"}, "be brief", {"yo"}, "noon\\n\\nyo"},
      {"the same rule again", nullptr, {"arr", "yo"}, nullptr, {"arr"}, "noon"},
  };
  std::vector<Script> scripts;
  for (const auto& c : cases) {
    scripts.push_back(Script()
                          .CallTool("get_time")
                          .ExpectToolResult(std::string(R"({"success": {"content": [{"text":
                              {"text": ")") +
                                            c.told + R"("}}]}})")
                          .Text(c.name)
                          .TurnEnded());
  }
  Start(std::move(scripts));
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    json body = kFunction;
    body["instructions"] = c.instructions;
    json input = json::array({UserSays("time?")});
    for (const char* rule : c.rules) input.insert(input.begin(), DeveloperSays(rule));
    const json first = Ask(input, body);
    ASSERT_EQ(first["output"][0]["type"], "function_call") << first;
    body["instructions"] = c.later_instructions;
    body["previous_response_id"] = first["id"];
    input = json::array({{{"type", "function_call_output"},
                          {"call_id", first["output"][0]["call_id"]},
                          {"output", "noon"}}});
    for (const char* rule : c.later_rules) input.push_back(DeveloperSays(rule));
    const json second = Ask(input, body);
    EXPECT_EQ(TextOf(second), c.name) << second;
  }
  ExpectNoViolations(std::size(cases));
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_cold_continuations_total 0\n"));
}

// What the turn began with is still in the state of the service.
TEST_F(ResponsesTest, BuildsAnewWhatWentOnWithOtherInstructions) {
  const json cases[] = {"be kind", nullptr};
  std::vector<Script> scripts;
  for (size_t i = 0; i < std::size(cases); ++i) {
    scripts.push_back(Script()
                          .CallTool("get_time")
                          .ExpectToolResult(R"({"success": {}})")
                          .Text("b")
                          .TurnEnded()
                          .CheckpointBytes("\x50\x01"));
    scripts.push_back(Script()
                          .ExpectRequest(R"({"conversation_state": {"$as":
                              {"ConversationStateStructure": {"turns": {"$size": 1}}}}})")
                          .Text("c")
                          .TurnEnded());
  }
  Start(std::move(scripts));
  for (const json& later : cases) {
    SCOPED_TRACE(later.dump());
    json body = kFunction;
    body["instructions"] = "be brief";
    const json first = Ask("time?", body);
    body["instructions"] = later;
    body["previous_response_id"] = first["id"];
    const json second = Ask(json::array({{{"type", "function_call_output"},
                                          {"call_id", first["output"][0]["call_id"]},
                                          {"output", "noon"}}}),
                            body);
    EXPECT_EQ(TextOf(second), "b") << second;
    body["previous_response_id"] = second["id"];
    EXPECT_EQ(TextOf(Ask("next", body)), "c");
  }
  ExpectNoViolations(2 * std::size(cases));
}

TEST_F(ResponsesTest, KeepsRulesOfTheInputForLaterRequests) {
  const struct {
    json item;
    const char* rule;
  } cases[] = {
      {DeveloperSays("say arr"), "say arr"},
      {{{"role", "system"}, {"content", "say arr"}}, "say arr"},
      {{{"type", "compaction"}, {"encrypted_content", "of another provider"}},
       "shortened by another provider"},
  };
  std::vector<Script> scripts;
  for (const auto& c : cases) {
    const Script cold = Script().GetRootPromptBlob(1).Expect(RootPrompt(c.rule));
    scripts.push_back(Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"));
    scripts.push_back(Script()
                          .ExpectRequest(R"({"conversation_state": {"$as":
                              {"ConversationStateStructure": {"turns": {"$size": 0}}}}})")
                          .GetRootPromptBlob(0)
                          .Expect(RootPrompt(c.rule))
                          .Text("b")
                          .TurnEnded());
    // It was taken: these are told everything.
    for (const char* text : {"c", "d"}) scripts.push_back(Script(cold).Text(text).TurnEnded());
  }
  Start(std::move(scripts));
  for (const auto& c : cases) {
    SCOPED_TRACE(c.rule);
    const json first = Ask(json::array({c.item, UserSays("one")}));
    const json more = {{"previous_response_id", first["id"]}};
    EXPECT_EQ(TextOf(Ask("two", more)), "b");
    const json third = Ask("three", more);
    EXPECT_EQ(TextOf(third), "c");
    EXPECT_EQ(TextOf(Ask("four", {{"previous_response_id", third["id"]}})), "d");
  }
  ExpectNoViolations(4 * std::size(cases));
}

// Those that are said again where they are still in force count once; one that is in force again,
// after another, does not.
TEST_F(ResponsesTest, TellsRulesInTheOrderInWhichTheyWereInForce) {
  Start();  // the assistant quotes what it was told
  const std::vector<std::vector<const char*>> kTalks[] = {
      {{"home"}, {"cart"}, {"cart"}, {"home"}},
      {{"home", "cart"}, {}, {"home", "home"}, {"home", "home"}, {"home", "cart"}},
      {{"home"}, {"home", "cart"}, {"home"}},
  };
  const std::vector<std::string> kTold[] = {
      {"home", "cart", "home"}, {"home", "cart", "home", "home", "cart"}, {"home", "cart", "home"}};
  for (size_t talk = 0; talk < std::size(kTalks); ++talk) {
    json more = {{"model", "auto"}};
    std::string said;
    for (const auto& rules : kTalks[talk]) {
      json input = json::array();
      for (const char* rule : rules) input.push_back(DeveloperSays(rule));
      input.push_back(UserSays("say"));
      const json answer = Ask(input, more);
      ASSERT_TRUE(answer.contains("id")) << answer;
      said = answer["output"].back()["content"][0]["text"];
      more["previous_response_id"] = answer["id"];
    }
    said.erase(0, said.rfind("<rules>"));  // the last time that rules were told
    std::vector<std::string> words = absl::StrSplit(said, absl::ByAnyChar(" \n.,:;\"<>*_`"));
    std::erase_if(words, [](const std::string& word) { return word != "home" && word != "cart"; });
    EXPECT_EQ(words, kTold[talk]) << said;
  }
}

TEST_F(ResponsesTest, GoesOnFromTheStateUnlessInstructionsAreReplaced) {
  const char* hot = R"({"conversation_state": {"$as": {"ConversationStateStructure":
      {"root_prompt_messages_json": {"$size": 1}, "turns": {"$size": 0}}}}})";
  const char* cold = R"({"conversation_state": {"$as": {"ConversationStateStructure":
      {"turns": {"$size": 3}}}}})";
  Start({Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
         Script()
             .ExpectRequest(hot)
             .GetRootPromptBlob(0)
             .Expect(RootPrompt("be brief"))
             .Text("b")
             .TurnEnded()
             .CheckpointBytes("\x50\x02"),
         Script().ExpectRequest(hot).Text("c").TurnEnded().CheckpointBytes("\x50\x03"),
         Script()
             .ExpectRequest(cold)
             .GetRootPromptBlob(1)
             .Expect(RootPrompt(R"(<rules>\\nbe kind\\n</rules>)"))
             .Text("d")
             .TurnEnded()});
  json last = Ask("one");
  const auto ask = [&](const char* text, const char* instructions) {
    last = Ask(text, {{"previous_response_id", last["id"]}, {"instructions", instructions}});
    return TextOf(last);
  };
  EXPECT_EQ(ask("two", "be brief"), "b");
  EXPECT_EQ(ask("three", "be brief"), "c");
  EXPECT_EQ(ask("four", "be kind"), "d");
  ExpectNoViolations(4);
}

TEST_F(ResponsesTest, GoesOnFromItemsThatAreSentAgain) {
  Start({Script()
             .CallTool("get_time")
             .ExpectToolResult(R"({"success": {"content": [{"text": {"text": "noon"}}]}})")
             .Text("noon")
             .TurnEnded()
             .CheckpointBytes("\x50\x01"),
         Script()
             .ExpectRequest(R"({"conversation_state": {"$as": {"ConversationStateStructure":
                                 {"turns": {"$size": 0}}}}})")
             .Text("yes")
             .TurnEnded()});
  json input = json::array({UserSays("time?")});
  const json first = Ask(input, kFunction);
  for (const json& item : first["output"]) input.push_back(item);
  input.push_back({{"type", "function_call_output"},
                   {"call_id", first["output"][0]["call_id"]},
                   {"output", "noon"}});
  const json second = Ask(input, kFunction);
  for (const json& item : second["output"]) input.push_back(item);
  input.push_back(UserSays("sure?"));
  EXPECT_EQ(Ask(input, kFunction)["output"][0]["content"][0]["text"], "yes");
  ExpectNoViolations(2);
}

TEST_F(ResponsesTest, TellsOfErrors) {
  Start({Script().Error("not_found", "Error"), Script().Text("begun").Error("internal", "Error")});
  EXPECT_THAT(Answer({{"model", "m"}, {"input", "hi"}, {"stream", true}}), HasSubstr(" 404 "));
  const std::vector<json> events = Stream("hi");
  EXPECT_EQ(events.back()["type"], "response.failed");
  EXPECT_EQ(events.back()["response"]["status"], "failed");
  EXPECT_EQ(events.back()["response"]["error"]["code"], "upstream_internal");
  const json unknown = Ask("hi", {{"previous_response_id", "resp_unknown"}});
  EXPECT_EQ(unknown["error"]["code"], "previous_response_not_found");
}

const json kCodexTools = json::parse(R"([
    {"type":"namespace","name":"mcp__docs","tools":[{"type":"function","name":"lookup"}]},
    {"type":"custom","name":"apply_patch","description":"Patches."},
    {"type":"tool_search","execution":"client","parameters":{"type":"object"}},
    {"type":"web_search"}])");

TEST_F(ResponsesTest, GivesCallsBackInTheFormOfTheirTools) {
  Start({Script()
             .CallTool("mcp__docs__lookup", R"({"word": "x"})")
             .ExpectToolResult(R"({"success": {"content": [{"text": {"text": "found"}}]}})")
             .CallTool("apply_patch", R"({"input": "*** Begin \"Ä\"\n"})")
             .ExpectToolResult(R"({"success": {"content": [{"text": {"text": "done"}}]}})")
             .Text("all")
             .TurnEnded()});
  json input = json::array({{{"role", "user"}, {"content", "hi"}}});
  const std::vector<json> events = Stream(input, {{"tools", kCodexTools}});
  const json call = events.back()["response"]["output"][0];
  EXPECT_EQ(call["type"], "function_call");
  EXPECT_EQ(call["namespace"], "mcp__docs");
  EXPECT_EQ(call["name"], "lookup");
  EXPECT_EQ(call["arguments"], R"({"word":"x"})");
  EXPECT_EQ(events[events.size() - 2]["item"], call);  // output_item.done
  input.push_back(call);
  input.push_back(
      {{"type", "function_call_output"}, {"call_id", call["call_id"]}, {"output", "found"}});
  const std::vector<json> more = Stream(input, {{"tools", kCodexTools}});
  const json patch = more.back()["response"]["output"][0];
  EXPECT_EQ(patch["type"], "custom_tool_call");
  EXPECT_EQ(patch["name"], "apply_patch");
  EXPECT_EQ(patch["input"], "*** Begin \"Ä\"\n");
  EXPECT_EQ(patch["status"], "completed");
  EXPECT_FALSE(patch.contains("namespace"));
  EXPECT_THAT(
      TypesOf(more),
      ElementsAre("created", "in_progress", "output_item.added", "custom_tool_call_input.delta",
                  "custom_tool_call_input.done", "output_item.done", "completed"));
  input.push_back(patch);
  input.push_back(
      {{"type", "custom_tool_call_output"}, {"call_id", patch["call_id"]}, {"output", "done"}});
  EXPECT_EQ(Ask(input, {{"tools", kCodexTools}})["output"][0]["content"][0]["text"], "all");
  ExpectNoViolations(1);
}

TEST_F(ResponsesTest, OffersToolsThatASearchFound) {
  Start({Script().CallTool("tool_search", R"({"query": "x"})").NoAwait().ExpectCancel(),
         Script()
             .CallTool("found__do_it")
             .ExpectToolResult(R"({"success": {"content": [{"text": {"text": "ok"}}]}})")
             .Text("all")
             .TurnEnded()});
  json input = json::array({{{"role", "user"}, {"content", "hi"}}});
  const json search = Ask(input, {{"tools", kCodexTools}})["output"][0];
  EXPECT_EQ(search["type"], "tool_search_call");
  EXPECT_EQ(search["execution"], "client");
  EXPECT_EQ(search["arguments"], json({{"query", "x"}}));
  input.push_back(search);
  input.push_back({{"type", "tool_search_output"},
                   {"call_id", search["call_id"]},
                   {"tools", json::parse(R"([{"type":"namespace","name":"found",
                      "tools":[{"type":"function","name":"do_it"}]}])")}});
  // A turn that waits cannot learn of more tools: another one goes on.
  const json call = Ask(input, {{"tools", kCodexTools}})["output"][0];
  EXPECT_EQ(call["namespace"], "found") << call;
  EXPECT_EQ(call["name"], "do_it");
  input.push_back(call);
  input.push_back(
      {{"type", "function_call_output"}, {"call_id", call["call_id"]}, {"output", "ok"}});
  EXPECT_EQ(Ask(input, {{"tools", kCodexTools}})["output"][0]["content"][0]["text"], "all");
  ExpectNoViolations(2);
}

TEST_F(ResponsesTest, MakesASummaryInPlaceOfAHistory) {
  Start({Script().Text("They met.").TurnEnded(), Script().Text("They met.").TurnEnded(),
         Script().Text("yes").TurnEnded()});
  json input = json::array(
      {{{"role", "user"}, {"content", "hi"}}, {{"role", "assistant"}, {"content", "hello"}}});
  json whole = input;
  whole.push_back({{"type", "compaction_trigger"}});
  const std::vector<json> events = Stream(whole, {{"tools", kCodexTools}});
  EXPECT_THAT(TypesOf(events), ElementsAre("created", "in_progress", "output_item.added",
                                           "output_item.done", "completed"));
  const json item = events[3]["item"];
  EXPECT_EQ(item["type"], "compaction");
  EXPECT_EQ(events.back()["response"]["output"], json::array({item}));

  RawClient client(port_);
  client.Send(Post("/v1/responses/compact",
                   json({{"model", "m"}, {"input", input}, {"stream", true}}).dump(),
                   "Connection: close\r\n"));
  const json compacted = json::parse(BodyOf(client.ReadToEnd()));
  EXPECT_EQ(compacted["object"], "response.compaction");
  ASSERT_THAT(compacted["output"], SizeIs(2));
  EXPECT_EQ(compacted["output"][0], input[0]);
  EXPECT_EQ(compacted["output"][1]["encrypted_content"], item["encrypted_content"]);

  const json answer = Ask(json::array({item, {{"role", "user"}, {"content", "did they?"}}}));
  EXPECT_EQ(answer["output"][0]["content"][0]["text"], "yes");
  ExpectNoViolations(3);
}

// A client that took an empty one for its history would have lost it.
TEST_F(ResponsesTest, FailsWhereThereIsNoSummary) {
  Start({Script().TurnEnded(), Script().Text(" \n").TurnEnded(),
         Script().Text("They met.").TurnEnded()});
  const json input = json::array({{{"role", "user"}, {"content", "hi"}}});
  json whole = input;
  whole.push_back({{"type", "compaction_trigger"}});
  const auto answer = [this](const std::string& path, const json& list) {
    const json body = {{"model", "m"}, {"input", list}, {"stream", true}};
    RawClient client(port_);
    client.Send(
        Post(path, body.dump(), "Connection: close\r\nIdempotency-Key: of-" + path + "\r\n"));
    return client.ReadToEnd();
  };
  // Nothing of the stream was sent yet.
  EXPECT_THAT(answer("/v1/responses", whole), StartsWith("HTTP/1.1 502 "));
  EXPECT_THAT(answer("/v1/responses/compact", input), StartsWith("HTTP/1.1 502 "));
  EXPECT_THAT(answer("/v1/responses/compact", input), StartsWith("HTTP/1.1 200 "));
  ExpectNoViolations(3);
}

TEST_F(ResponsesTest, TellsCodexTheSizeOfTheContext) {
  const auto script = [] {
    return Script()
        .Checkpoint(R"({"token_details": {"used_tokens": 40, "max_tokens": 200}})")
        .CallTool("get_time")
        .ExpectToolResult(R"({"success": {"content": [{"text": {"text": "noon"}}]}})")
        .Text("noon")
        .TurnEnded(R"({"input_tokens":"900","output_tokens":"2"})");
  };
  Start({script()});
  json body = {{"model", "m"}, {"input", json::array({UserSays("time?")})}};
  body.update(kFunction);
  const auto ask = [&] {
    RawClient client(port_);
    client.Send(
        Post("/v1/responses", body.dump(), "Connection: close\r\noriginator: codex_exec\r\n"));
    return json::parse(BodyOf(client.ReadToEnd()));
  };
  const json first = ask();
  EXPECT_EQ(first["usage"]["total_tokens"], 40) << first;
  body["input"].push_back(first["output"][0]);
  body["input"].push_back({{"type", "function_call_output"},
                           {"call_id", first["output"][0]["call_id"]},
                           {"output", "noon"}});
  EXPECT_EQ(ask()["usage"]["total_tokens"], 40);
}

TEST_F(ResponsesTest, SendsAnEventAfterALongSilence) {
  Start({Script().Text("a").ExpectCancel()});
  RawClient client(port_);
  client.Send(
      Post("/v1/responses", json({{"model", "m"}, {"input", "hi"}, {"stream", true}}).dump()));
  client.ReadUntil("output_text.delta");
  for (int i = 1; i < kEventInterval / kKeepAliveInterval; ++i) {
    thread_.Advance(kKeepAliveInterval);
    EXPECT_THAT(client.ReadUntil(": keepalive\n\n"), ::testing::Not(HasSubstr("in_progress")));
  }
  thread_.Advance(kKeepAliveInterval);
  EXPECT_THAT(client.ReadUntil("\n\n\r\n"), HasSubstr("event: response.in_progress\n"));
}

TEST_F(ResponsesTest, NamesErrorsThatNoRepeatHelps) {
  Start({Script().Text("begun").Error("invalid_argument", "Error"),
         Script().Text("begun").Error("unavailable", "Error")});
  EXPECT_EQ(Stream("hi").back()["response"]["error"]["code"], "invalid_prompt");
  EXPECT_EQ(Stream("hi").back()["response"]["error"]["code"], "upstream_unavailable");
}

TEST_F(ResponsesTest, TakesAFenceOffJson) {
  const auto script = [] {
    return Script().Text("```json\n{\"a\"").Text(":1}\n`").Text("``").TurnEnded();
  };
  Start({script(), script(), script()});
  const json wants = {{"text", {{"format", {{"type", "json_object"}}}}}};
  EXPECT_EQ(Ask("hi", wants)["output"][0]["content"][0]["text"], "{\"a\":1}");
  EXPECT_EQ(Stream("hi", wants).back()["response"]["output"][0]["content"][0]["text"], "{\"a\":1}");
  EXPECT_EQ(Ask("hi")["output"][0]["content"][0]["text"], "```json\n{\"a\":1}\n```");
}

TEST_F(ResponsesTest, IgnoresAnEffortThatAModelDoesNotHave) {
  Start({Script().Text("a").TurnEnded()});
  EXPECT_EQ(Ask("hi", {{"reasoning", {{"effort", "ultra"}}}})["status"], "completed");
}

TEST_F(ResponsesTest, SaysThatResponsesCannotBeRead) {
  Start(std::vector<Script>{});
  RawClient client(port_);
  client.Send(Get("/v1/responses/resp_1"));
  EXPECT_THAT(client.ReadResponse(), HasSubstr("previous_response_id"));
}

TEST_F(ResponsesTest, KeepsNothingThatIsNotToBeStored) {
  Start({Script().Text("a").TurnEnded()});
  const json first = Ask("hi", {{"store", false}});
  const json second = Ask("and?", {{"previous_response_id", first["id"]}});
  EXPECT_EQ(second["error"]["code"], "previous_response_not_found");
}

// Requests that hold a large part of the room of their key, and are read in no time.
class LargeResponsesTest : public ResponsesTest {
 protected:
  void Start(std::vector<Script> scripts) {
    const ApiKeys keys = ApiKeys::Of("a-key");
    const std::string image(kMaxOwnerBodiesBytes * 2 / 5, 'x');
    const json digests = json::array({absl::BytesToHexString(cursorwire::Sha256(image))});
    const json asked = {{"role", static_cast<int>(Role::kUser)}, {"images", digests}};
    const json said = {{"role", static_cast<int>(Role::kAssistant)}, {"text", "a cat"}};
    auto state = MakeMemoryState();
    ASSERT_TRUE(state
                    ->Put({StateKind::kResponse, "resp_1"},
                          {.owner = *keys.OwnerOf({.fields = {{"x-api-key", "a-key"}}}),
                           .value = json({{"messages", json::array({asked, said})}}).dump(),
                           .blobs = {image}},
                          kStateLife, "", StateStore::Claimed::kStays)
                    .ok());
    cursorwire::LocalUpstreamOptions upstream;
    upstream.scripts = std::move(scripts);
    ResponsesTest::Start(std::move(upstream), {.keys = keys, .state = std::move(state)});
  }
  static void Send(RawClient& client, const json& more) {
    json body = {{"model", "some-model"}, {"input", "sure?"}, {"previous_response_id", "resp_1"}};
    body.update(more);
    client.Send(Post("/v1/responses", body.dump(), "x-api-key: a-key\r\n"));
  }
  std::string Ask(const json& more = json::object()) {
    RawClient client(port_);
    Send(client, more);
    return client.ReadResponse();
  }
  void AwaitActive(size_t turns) {
    const std::string line = "cursor_gateway_runs_active " + std::to_string(turns) + "\n";
    while (Metrics().find(line) == std::string::npos) {
    }
  }
};

// Else requests of some bytes could fill the memory.
TEST_F(LargeResponsesTest, CountsWhatARequestHoldsBesideItsBody) {
  const Script endless = Script().Text("endless").ExpectCancel();
  Start({endless, endless, Script().Text("sure").TurnEnded()});
  std::array<RawClient, 2> busy{RawClient(port_), RawClient(port_)};
  for (RawClient& client : busy) {
    Send(client, {{"stream", true}});
    ASSERT_THAT(client.ReadUntil("endless"), HasSubstr(" 200 "));
  }
  EXPECT_THAT(Ask(), StartsWith("HTTP/1.1 503 "));
  // A short text may be many values.
  const std::vector<int> values(kMaxOwnerBodiesBytes / 5 / kJsonValueBytes, 0);
  const std::string refused = Ask({{"previous_response_id", nullptr}, {"metadata", values}});
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(refused, HasSubstr("overloaded"));
  for (RawClient& client : busy) client.Close();
  ExpectNoViolations(2);
  AwaitActive(0);
  EXPECT_THAT(Ask(), HasSubstr("sure"));
}

TEST_F(LargeResponsesTest, LeavesRoomForTheResultsOfTurnsThatWait) {
  Start({Script().CallTool("get_time").NoAwait().ExpectCancel(),
         Script().CallTool("get_time").ExpectToolResult().Text("It is noon.").TurnEnded()});
  EXPECT_THAT(Ask(kFunction), HasSubstr("function_call"));
  const json last = json::parse(BodyOf(Ask(kFunction)));
  ASSERT_EQ(last["output"][0]["type"], "function_call");
  ExpectNoViolations(1);  // the first is cancelled
  AwaitActive(1);
  json results = kFunction;
  results["previous_response_id"] = last["id"];
  results["input"] = json::array({{{"type", "function_call_output"},
                                   {"call_id", last["output"][0]["call_id"]},
                                   {"output", "noon"}}});
  EXPECT_THAT(Ask(results), HasSubstr("It is noon."));
  EXPECT_THAT(Metrics(), HasSubstr("cursor_gateway_cold_continuations_total 0\n"));
  ExpectNoViolations(2);
}

TEST_F(ResponsesTest, KeepsNoSignsOfLifeForAClientThatDoesNotRead) {
  Start({Script().Text("one").ExpectCancel()});
  RawClient client(port_);
  // More than the operating system takes.
  const json body = {{"model", "some-model"},
                     {"input", "hi"},
                     {"stream", true},
                     {"metadata", {{"padding", std::string(size_t{8} * 1024 * 1024, 'x')}}}};
  client.Send(Post("/v1/responses", body.dump()));
  while (Metrics().find("cursor_gateway_first_token_seconds_count 1\n") == std::string::npos) {
  }
  for (int i = 0; i < 8; ++i) thread_.Advance(kKeepAliveInterval);
  thread_.Do([this] { gateway_->EndTurns(); });
  const std::string events = client.ReadUntil("\r\n0\r\n\r\n");
  EXPECT_THAT(events, HasSubstr("event: response.failed"));
  size_t count = 0;
  for (size_t at = 0; (at = events.find("event: response.in_progress", at)) != events.npos; ++at) {
    ++count;
  }
  EXPECT_EQ(count, 1U);
}

}  // namespace
}  // namespace cursor_gateway
