#include "anthropic/message_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "anthropic/anthropic_error.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const AnswerHead kHead = {.id = "msg_1", .model = "claude-x"};

MessageWriter WriterOf(int64_t estimated_tokens,
                       AnswerWriter::Keep keep = AnswerWriter::Keep::kNothing) {
  return {kHead, {.shows_thinking = true, .estimated_tokens = estimated_tokens}, "req_1", keep};
}

// The data of the events; each has a line with its type before.
std::vector<json> EventsOf(const std::string& text) {
  std::vector<json> events;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find("\n\n", at);
    const std::string event = text.substr(at, end - at);
    at = end + 2;
    const size_t data = event.find("\ndata: ");
    EXPECT_TRUE(event.starts_with("event: ")) << event;
    events.push_back(json::parse(event.substr(data + 7)));
    EXPECT_EQ(event.substr(7, data - 7), events.back()["type"]);
  }
  return events;
}

std::vector<std::string> TypesOf(const std::vector<json>& events) {
  std::vector<std::string> types;
  for (const json& event : events) types.push_back(event["type"]);
  return types;
}

TEST(MessageWriter, OpensOneBlockAtATimeWithIndexesWithoutAGap) {
  MessageWriter writer = WriterOf(12);
  std::string all = writer.Reasoning("hm");
  all += writer.Text("a");
  all += writer.Text("b");
  all += writer.Reasoning("more");
  all += writer.Calls({{.id = "toolu_1", .name = "t", .arguments = R"({"x": 1})"},
                       {.id = "toolu_2", .name = "u", .arguments = ""}});
  all += writer.Finish(FinishReason::kToolCalls, "", {});
  const std::vector<json> events = EventsOf(all);
  int open = -1;
  int next = 0;
  for (const json& event : events) {
    if (event["type"] == "content_block_start") {
      EXPECT_EQ(open, -1);
      open = event["index"];
      EXPECT_EQ(open, next++);
    } else if (event["type"] == "content_block_delta") {
      EXPECT_EQ(event["index"], open);
    } else if (event["type"] == "content_block_stop") {
      EXPECT_EQ(event["index"], open);
      open = -1;
    }
  }
  EXPECT_EQ(open, -1);
  EXPECT_EQ(next, 5);
  EXPECT_EQ(events.front()["type"], "message_start");
  EXPECT_EQ(events.back()["type"], "message_stop");
}

TEST(MessageWriter, SignsThinkingBeforeItsBlockStops) {
  MessageWriter writer = WriterOf(0);
  std::string all = writer.Reasoning("hm");
  all += writer.Text("a");
  const std::vector<json> events = EventsOf(all);
  EXPECT_THAT(TypesOf(events),
              ElementsAre("message_start", "content_block_start", "content_block_delta",
                          "content_block_delta", "content_block_stop", "content_block_start",
                          "content_block_delta"));
  EXPECT_EQ(events[1]["content_block"],
            json({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}));
  EXPECT_EQ(events[2]["delta"], json({{"type", "thinking_delta"}, {"thinking", "hm"}}));
  EXPECT_EQ(events[3]["delta"]["type"], "signature_delta");
  EXPECT_FALSE(events[3]["delta"]["signature"].get<std::string>().empty());
}

TEST(MessageWriter, SendsTheWholeInputOfACallInOneDelta) {
  MessageWriter writer = WriterOf(0);
  const std::vector<json> events = EventsOf(
      writer.Calls({{.id = "toolu_1", .name = "t", .arguments = R"({"b": 1.0, "a": "\""})"}}));
  EXPECT_EQ(
      events[1]["content_block"],
      json({{"type", "tool_use"}, {"id", "toolu_1"}, {"name", "t"}, {"input", json::object()}}));
  EXPECT_EQ(events[2]["delta"]["type"], "input_json_delta");
  EXPECT_EQ(json::parse(events[2]["delta"]["partial_json"].get<std::string>()),
            json({{"a", "\""}, {"b", 1}}));
}

TEST(MessageWriter, BeginsWithAnEstimateAndEndsWithTheUsage) {
  MessageWriter writer = WriterOf(12);
  std::string all = writer.Text("a");
  all += writer.Finish(FinishReason::kStop, "END",
                       {.turn = {.input_tokens = 100,
                                 .output_tokens = 7,
                                 .cache_read_tokens = 60,
                                 .cache_write_tokens = 5}});
  const std::vector<json> events = EventsOf(all);
  const json start = events.front()["message"];
  EXPECT_EQ(start["usage"]["input_tokens"], 12);
  EXPECT_EQ(start["content"], json::array());
  EXPECT_TRUE(start["stop_reason"].is_null());
  EXPECT_EQ(start["model"], "claude-x");
  const json end = events[events.size() - 2];
  EXPECT_EQ(end["delta"], json({{"stop_reason", "stop_sequence"}, {"stop_sequence", "END"}}));
  EXPECT_EQ(end["usage"], json({{"input_tokens", 35},  // without both caches
                                {"cache_creation_input_tokens", 5},
                                {"cache_read_input_tokens", 60},
                                {"output_tokens", 7}}));
}

TEST(MessageWriter, KeepsTheWholeMessage) {
  MessageWriter writer = WriterOf(0, AnswerWriter::Keep::kWhole);
  writer.Reasoning("h");
  writer.Reasoning("m");
  writer.Text("a");
  writer.Text("b");
  writer.Calls({{.id = "toolu_1", .name = "t", .arguments = R"({"x":1})"}});
  writer.Finish(FinishReason::kToolCalls, "", {});
  const json message = json::parse(writer.Whole());
  ASSERT_THAT(message["content"], SizeIs(3));
  EXPECT_EQ(message["content"][0]["thinking"], "hm");
  EXPECT_EQ(message["content"][1], json({{"type", "text"}, {"text", "ab"}}));
  EXPECT_EQ(message["content"][2]["input"], json({{"x", 1}}));
  EXPECT_EQ(message["stop_reason"], "tool_use");
  for (const char* name : {"container", "stop_details", "context_management", "stop_sequence"}) {
    EXPECT_TRUE(message.at(name).is_null()) << name;
  }
}

TEST(MessageWriter, KeepsNothingOfAStream) {
  MessageWriter writer = WriterOf(0);
  writer.Text("a");
  writer.Finish(FinishReason::kStop, "", {});
  EXPECT_THAT(json::parse(writer.Whole())["content"], IsEmpty());
}

TEST(AnthropicError, HasTheTypeThatTheStatusStandsFor) {
  const struct {
    int status;
    const char* type;
  } cases[] = {{400, "invalid_request_error"},
               {401, "authentication_error"},
               {403, "permission_error"},
               {404, "not_found_error"},
               {405, "invalid_request_error"},
               {413, "request_too_large"},
               {429, "rate_limit_error"},
               {500, "api_error"},
               {502, "api_error"},
               {503, "api_error"},
               {504, "timeout_error"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.status);
    EXPECT_EQ(InAnthropicForm({.status = c.status}).type, c.type);
  }
  const ApiError full = InAnthropicForm({.status = 429, .is_overload = true});
  EXPECT_EQ(full.status, 529);
  EXPECT_EQ(full.type, "overloaded_error");
  EXPECT_EQ(InAnthropicForm({.status = 503, .code = "overloaded"}).status, 529);
}

TEST(AnthropicError, TellsTheSdkOfThreads) {
  const json body = json::parse(AnthropicErrorBody(
      InAnthropicForm(
          {.status = 400, .code = "thread_unsupported_request", .param = "thread", .message = "m"}),
      "req_1"));
  EXPECT_EQ(body["type"], "error");
  EXPECT_EQ(body["request_id"], "req_1");
  EXPECT_EQ(body["error"]["details"]["error_code"], "thread_unsupported_request");
  EXPECT_EQ(body["error"]["details"]["unsupported"], json::array({"thread"}));
}

}  // namespace
}  // namespace cursor_gateway
