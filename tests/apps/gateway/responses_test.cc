#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/gateway/chat_client.h"
#include "apps/gateway/gateway_fixture.h"

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

TEST_F(ResponsesTest, KeepsNothingThatIsNotToBeStored) {
  Start({Script().Text("a").TurnEnded()});
  const json first = Ask("hi", {{"store", false}});
  const json second = Ask("and?", {{"previous_response_id", first["id"]}});
  EXPECT_EQ(second["error"]["code"], "previous_response_not_found");
}

}  // namespace
}  // namespace cursor_gateway
