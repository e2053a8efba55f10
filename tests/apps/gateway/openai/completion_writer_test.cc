#include "openai/completion_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cursor_gateway {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const AnswerHead kHead = {.id = "chatcmpl-1", .created = 7, .model = "m"};

// The values of the data lines up to "[DONE]"; anything else in the bytes fails.
std::vector<json> Events(const std::string& bytes) {
  std::vector<json> events;
  size_t at = 0;
  while (at < bytes.size()) {
    const size_t end = bytes.find("\n\n", at);
    EXPECT_NE(end, std::string::npos);
    const std::string line = bytes.substr(at, end - at);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.rfind("data: ", 0), 0U);
    at = end + 2;
    if (line == "data: [DONE]") {
      EXPECT_EQ(at, bytes.size());
      break;
    }
    events.push_back(json::parse(line.substr(6)));
  }
  return events;
}

constexpr auto kNothing = AnswerWriter::Keep::kNothing;
constexpr auto kWhole = AnswerWriter::Keep::kWhole;

TEST(CompletionWriter, HasTheShapeOfTheApi) {
  CompletionWriter writer(kHead, false, kWhole);
  writer.Text("h");
  writer.Text("i");
  writer.Finish(FinishReason::kStop, "",
                {.turn = {.input_tokens = 10,
                          .output_tokens = 2,
                          .cache_read_tokens = 4,
                          .cache_write_tokens = 3,
                          .reasoning_tokens = 1},
                 .context_tokens = 12,
                 .context_window = 200});
  EXPECT_EQ(json::parse(writer.Whole()), json::parse(R"({
    "id":"chatcmpl-1","object":"chat.completion","created":7,"model":"m",
    "choices":[{"index":0,"message":{"role":"assistant","content":"hi","refusal":null},
                "logprobs":null,"finish_reason":"stop"}],
    "usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,
             "prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":3},
             "completion_tokens_details":{"reasoning_tokens":1},
             "context_tokens":12,"context_window":200}})"));
}

TEST(WithContextAsPrompt, AddsUpToTheSizeOfTheContext) {
  const AnswerUsage billed{.turn = {.input_tokens = 5000,
                                    .output_tokens = 20,
                                    .cache_read_tokens = 4000,
                                    .reasoning_tokens = 5},
                           .context_tokens = 1200,
                           .context_window = 2000};
  const AnswerUsage usage = WithContextAsPrompt(billed);
  EXPECT_EQ(usage.turn.input_tokens, 1180);
  EXPECT_EQ(usage.turn.output_tokens, 20);
  EXPECT_EQ(usage.turn.cache_read_tokens, 1180);
  EXPECT_EQ(usage.turn.cache_write_tokens, std::nullopt);
  EXPECT_EQ(usage.turn.reasoning_tokens, 5);
  EXPECT_EQ(usage.context_window, 2000);
}

TEST(WithContextAsPrompt, NeverTellsMoreThanTheContext) {
  const AnswerUsage usage =
      WithContextAsPrompt({.turn = {.input_tokens = 1, .output_tokens = 90, .reasoning_tokens = 80},
                           .context_tokens = 70});
  EXPECT_EQ(usage.turn.input_tokens, 0);
  EXPECT_EQ(usage.turn.output_tokens, 70);
  EXPECT_EQ(usage.turn.reasoning_tokens, 70);
}

TEST(WithContextAsPrompt, LeavesWhatTheServiceToldWithoutASize) {
  const AnswerUsage usage = WithContextAsPrompt({.turn = {.input_tokens = 10, .output_tokens = 2}});
  EXPECT_EQ(usage.turn.input_tokens, 10);
  EXPECT_EQ(usage.turn.output_tokens, 2);
}

TEST(CompletionWriter, HasNoContentBesideCallsAlone) {
  CompletionWriter writer(kHead, false, kWhole);
  writer.Reasoning("hm");
  writer.Calls({{"call_1", "f", "{}"}});
  writer.Finish(FinishReason::kToolCalls, "", {});
  const json message = json::parse(writer.Whole())["choices"][0];
  EXPECT_EQ(message, json::parse(R"({"index":0,"logprobs":null,"finish_reason":"tool_calls",
    "message":{"role":"assistant","content":null,"refusal":null,"reasoning_content":"hm",
     "tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}})"));
}

TEST(CompletionWriter, KeepsAnEmptyAnswerAString) {
  CompletionWriter writer(kHead, false, kWhole);
  writer.Finish(FinishReason::kStop, "", {});
  const json body = json::parse(writer.Whole());
  EXPECT_EQ(body["choices"][0]["message"]["content"], "");
  EXPECT_EQ(body["usage"]["total_tokens"], 0);
}

TEST(CompletionWriter, WritesChunksInOrder) {
  CompletionWriter writer(kHead, true, kNothing);
  std::string bytes = writer.Reasoning("hm");
  bytes += writer.Text("he\nllo");
  bytes +=
      writer.Finish(FinishReason::kStop, "", {.turn = {.input_tokens = 1, .output_tokens = 1}});
  std::vector<json> events = Events(bytes);
  ASSERT_THAT(events, SizeIs(5));
  for (const json& event : events) {
    EXPECT_EQ(event["id"], "chatcmpl-1");
    EXPECT_EQ(event["created"], 7);
    EXPECT_EQ(event["model"], "m");
    EXPECT_EQ(event["object"], "chat.completion.chunk");
  }
  const auto choice = [&](size_t i) { return events[i]["choices"][0]; };
  EXPECT_EQ(choice(0)["delta"], json::parse(R"({"role":"assistant","content":""})"));
  EXPECT_EQ(choice(0)["finish_reason"], nullptr);
  EXPECT_EQ(choice(0)["logprobs"], nullptr);
  EXPECT_EQ(choice(1)["delta"], json::parse(R"({"reasoning_content":"hm"})"));
  EXPECT_EQ(choice(2)["delta"], json::parse(R"({"content":"he\nllo"})"));
  EXPECT_EQ(choice(3)["delta"], json::object());
  EXPECT_EQ(choice(3)["finish_reason"], "stop");
  EXPECT_EQ(events[4]["choices"], json::array());
  EXPECT_EQ(events[4]["usage"]["total_tokens"], 2);
}

TEST(CompletionWriter, CountsCallsWithoutGaps) {
  CompletionWriter writer(kHead, false, kNothing);
  std::string bytes = writer.Calls({{"call_a", "f", R"({"x":1})"}, {"call_b", "g", "{}"}});
  bytes += writer.Finish(FinishReason::kToolCalls, "", {});
  std::vector<json> events = Events(bytes);
  ASSERT_THAT(events, SizeIs(6));
  const auto call = [&](size_t i) { return events[i]["choices"][0]["delta"]["tool_calls"]; };
  EXPECT_EQ(call(1), json::parse(R"([{"index":0,"id":"call_a","type":"function",
                                      "function":{"name":"f","arguments":""}}])"));
  EXPECT_EQ(call(2), json::parse(R"([{"index":0,"function":{"arguments":"{\"x\":1}"}}])"));
  EXPECT_EQ(call(3)[0]["index"], 1);
  EXPECT_EQ(call(4), json::parse(R"([{"index":1,"function":{"arguments":"{}"}}])"));
  EXPECT_EQ(events[5]["choices"][0]["finish_reason"], "tool_calls");
}

TEST(CompletionWriter, WritesAnErrorAsTheApiHasIt) {
  CompletionWriter writer(kHead, false, kNothing);
  const std::string bytes = writer.Fail({.status = 503, .type = "t", .message = "gone"});
  EXPECT_EQ(Events(bytes).at(0),
            json::parse(R"({"error":{"message":"gone","type":"t","param":null,"code":null}})"));
}

TEST(CompletionWriter, ReplacesBytesThatAreNoUtf8) {
  CompletionWriter writer(kHead, false, kNothing);
  EXPECT_THAT(writer.Text("a\xff"), HasSubstr("a\xEF\xBF\xBD"));
}

TEST(CompletionWriter, EscapesTextsAndNames) {
  const std::string text = "\"a\"\n\\ \xF0\x9F\x98\x80 {\"content\":\"\"} \x01";
  CompletionWriter writer({.id = "chatcmpl-1", .created = 7, .model = R"({"content":""})"}, false,
                          kNothing);
  std::string bytes = writer.Text(text);
  bytes += writer.Reasoning(text);
  bytes += writer.Text("\xFF");
  const std::vector<json> events = Events(bytes);
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(events[1]["choices"][0]["delta"], json({{"content", text}}));
  EXPECT_EQ(events[2]["choices"][0]["delta"], json({{"reasoning_content", text}}));
  EXPECT_EQ(events[3]["choices"][0]["delta"], json({{"content", "\xEF\xBF\xBD"}}));
  for (const json& event : events) {
    EXPECT_EQ(event["model"], R"({"content":""})");
    EXPECT_EQ(event["object"], "chat.completion.chunk");
    EXPECT_EQ(event["choices"][0]["finish_reason"], nullptr);
  }
}

}  // namespace
}  // namespace cursor_gateway
