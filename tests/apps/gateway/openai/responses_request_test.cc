#include "openai/responses_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "openai/api_error.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(ResponsesRequest, ReadsATextAndInstructions) {
  const auto request = ReadResponsesRequest(
      R"({"model":"m","instructions":"be brief","input":"hi","reasoning":{"effort":"high"},
          "store":false,"include":[],"truncation":"auto","temperature":1})");
  ASSERT_THAT(request, IsOk());
  EXPECT_THAT(request->chat.messages,
              ElementsAre(Message{.role = Role::kSystem, .text = "be brief"},
                          Message{.role = Role::kUser, .text = "hi"}));
  EXPECT_EQ(request->chat.reasoning_effort, "high");
  EXPECT_FALSE(request->store);
  EXPECT_EQ(request->echo["instructions"], "be brief");
  EXPECT_EQ(request->echo["tool_choice"], "auto");
}

TEST(ResponsesRequest, MakesMessagesOfItems) {
  const auto request = ReadResponsesRequest(R"({"model":"m","input":[
      {"role":"developer","content":"rules"},
      {"type":"message","role":"user","content":[{"type":"input_text","text":"weather?"}]},
      {"type":"reasoning","id":"rs_1","summary":[]},
      {"type":"message","id":"msg_1","role":"assistant","status":"completed",
       "content":[{"type":"output_text","text":"let me ","annotations":[]}]},
      {"type":"message","role":"assistant","content":"see"},
      {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},
      {"type":"function_call","call_id":"c2","name":"g","arguments":"{\"a\":1}"},
      {"type":"function_call_output","call_id":"c1","output":"one"},
      {"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"two"}]}
    ]})");
  ASSERT_THAT(request, IsOk());
  EXPECT_THAT(request->chat.messages,
              ElementsAre(Message{.role = Role::kSystem, .text = "rules"},
                          Message{.role = Role::kUser, .text = "weather?"},
                          Message{.role = Role::kAssistant,
                                  .text = "let me see",
                                  .calls = {{"c1", "f", "{}"}, {"c2", "g", "{\"a\":1}"}}},
                          Message{.role = Role::kTool, .text = "one", .call_id = "c1"},
                          Message{.role = Role::kTool, .text = "two", .call_id = "c2"}));
}

TEST(ResponsesRequest, FindsItemsByTheirIds) {
  const char* body = R"({"model":"m","input":[{"role":"user","content":"a"},
      {"type":"item_reference","id":"msg_1"},{"role":"user","content":"b"}]})";
  const FindItem find = [](const std::string& id) -> std::optional<nlohmann::json> {
    if (id != "msg_1") return std::nullopt;
    return nlohmann::json::parse(R"({"id":"msg_1","type":"message","role":"assistant",
        "content":[{"type":"output_text","text":"x","annotations":[]}]})");
  };
  const auto request = ReadResponsesRequest(body, find);
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->chat.messages.at(1), (Message{.role = Role::kAssistant, .text = "x"}));
  EXPECT_EQ(ApiErrorOf(ReadResponsesRequest(body).status()).param, "input.[1].id");
}

TEST(ResponsesRequest, SkipsToolsThatAreNoFunctions) {
  const auto request = ReadResponsesRequest(R"({"model":"m","input":"hi","tools":[
      {"type":"web_search"}, {"type":"custom","name":"c"},
      {"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true}],
      "tool_choice":{"type":"function","name":"f"},
      "text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"}}}})");
  ASSERT_THAT(request, IsOk());
  ASSERT_THAT(request->chat.tools, SizeIs(1));
  EXPECT_EQ(request->chat.tools[0].name, "f");
  EXPECT_EQ(request->chat.named_tool, "f");
  EXPECT_EQ(request->chat.json_schema, R"({"type":"object"})");
  EXPECT_THAT(request->echo["tools"], SizeIs(3));
}

TEST(ResponsesRequest, NamesTheFieldThatIsWrong) {
  struct Case {
    const char* members;
    const char* param;
  };
  const Case cases[] = {
      {R"("input":"hi")", "model"},
      {R"("model":"m")", "input"},
      {R"("model":"m","input":7)", "input"},
      {R"("model":"m","input":[])", "input"},
      {R"("model":"m","input":[{"type":"item_reference","id":"x"}])", "input.[0].id"},
      {R"("model":"m","input":[{"type":"function_call","name":"f"}])", "input.[0].call_id"},
      {R"("model":"m","input":[{"type":"web_search_call"}])", "input.[0].type"},
      {R"("model":"m","input":[{"role":"user","content":[{"type":"input_file"}]}])",
       "input.[0].content.[0].type"},
      {R"("model":"m","input":"hi","instructions":1)", "instructions"},
      {R"("model":"m","input":"hi","previous_response_id":1)", "previous_response_id"},
      {R"("model":"m","input":"hi","reasoning":"high")", "reasoning"},
      {R"("model":"m","input":"hi","tools":{})", "tools"},
      {R"("model":"m","input":"hi","tool_choice":{"type":"function"})", "tool_choice"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.members);
    const auto request = ReadResponsesRequest("{" + std::string(c.members) + "}");
    ASSERT_FALSE(request.ok());
    EXPECT_EQ(ApiErrorOf(request.status()).status, 400);
    EXPECT_EQ(ApiErrorOf(request.status()).param, c.param);
  }
}

TEST(ReferencesOf, FindsWhatABodyNames) {
  const ResponseReferences all = ReferencesOf(
      R"({"previous_response_id": "resp_1", "input": [{"type": "item_reference", "id": "msg_2"},
          {"type": "item_reference", "id": "msg_1"}, {"type": "item_reference", "id": "msg_2"},
          {"type": "message", "id": "msg_3"}, {"type": "item_reference"}, 7]})");
  EXPECT_EQ(all.response_id, "resp_1");
  EXPECT_EQ(all.item_ids, (std::vector<std::string>{"msg_1", "msg_2"}));
  for (const char* body : {"", "item_reference", R"({"input": "item_reference"})",
                           R"(["previous_response_id"])", R"({"previous_response_id": 1})"}) {
    const ResponseReferences none = ReferencesOf(body);
    EXPECT_EQ(none.response_id, "") << body;
    EXPECT_EQ(none.item_ids.size(), 0U) << body;
  }
}

TEST(ReferencesOf, IsBounded) {
  nlohmann::json input = nlohmann::json::array();
  for (size_t i = 0; i < kMaxReferences + 5; ++i) {
    input.push_back({{"type", "item_reference"}, {"id", std::to_string(i)}});
  }
  EXPECT_EQ(ReferencesOf(nlohmann::json({{"input", input}}).dump()).item_ids.size(),
            kMaxReferences);
}

}  // namespace
}  // namespace cursor_gateway
