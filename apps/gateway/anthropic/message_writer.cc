#include "anthropic/message_writer.h"

#include <algorithm>
#include <utility>

#include "anthropic/anthropic_error.h"
#include "openai/concat.h"
#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

// The service signs nothing, and strict clients want something. It is ignored when it comes back.
constexpr std::string_view kSignature = "Y3Vyc29yLWdhdGV3YXk=";

std::string Named(std::string_view type, std::string_view data) {
  return Concat("event: ", type, "\ndata: ", data, "\n\n");
}

// Clients skip what has no line with its name.
std::string Event(const char* type, json value) {
  value["type"] = type;
  return Named(type, CompactJson(value));
}

// The input counts without what was read from a cache, or written to one.
json UsageOfMessage(const CompletionUsage& usage) {
  const int64_t read = usage.turn.cache_read_tokens.value_or(0);
  const int64_t written = usage.turn.cache_write_tokens.value_or(0);
  const int64_t input = usage.turn.input_tokens.value_or(0) - read - written;
  return {{"input_tokens", std::max<int64_t>(input, 0)},
          {"cache_creation_input_tokens", written},
          {"cache_read_input_tokens", read},
          {"output_tokens", usage.turn.output_tokens.value_or(0)}};
}

// An object; what the model wrote otherwise cannot be told.
json InputOf(const FunctionCall& call) {
  absl::StatusOr<json> input = ReadJson(CallArguments(call.arguments));
  return input.ok() && input->is_object() ? *std::move(input) : json::object();
}

}  // namespace

MessageWriter::MessageWriter(const CompletionHead& head, int64_t input_tokens, Keep keep)
    : message_({{"id", head.id},
                {"type", "message"},
                {"role", "assistant"},
                {"model", head.model},
                {"content", json::array()},
                {"stop_reason", nullptr},
                {"stop_sequence", nullptr},
                {"stop_details", nullptr},
                {"container", nullptr},
                {"context_management", nullptr},
                {"usage", UsageOfMessage({.turn = {.input_tokens = input_tokens}})}}),
      keep_(keep) {}

std::string MessageWriter::BeginOnce() {
  if (std::exchange(begun_, true)) return "";
  return Event("message_start", {{"message", message_}});
}

std::string MessageWriter::Delta(std::string_view type, std::string_view name,
                                 std::string_view text) const {
  return Named("content_block_delta",
               Concat(R"({"type":"content_block_delta","index":)", index_, R"(,"delta":{"type":")",
                      type, R"(",")", name, R"(":)", CompactJson(text), "}}"));
}

std::string MessageWriter::OpenBlock(Open kind) {
  std::string events = BeginOnce();
  if (open_ == kind) return events;
  events += CloseBlock();
  open_ = kind;
  const json block = kind == Open::kText
                         ? json{{"type", "text"}, {"text", ""}}
                         : json{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}};
  return events + Event("content_block_start", {{"index", index_}, {"content_block", block}});
}

std::string MessageWriter::CloseBlock() {
  if (open_ == Open::kNothing) return "";
  std::string events;
  json block = {{"type", "text"}, {"text", std::exchange(text_, "")}};
  if (open_ == Open::kThinking) {
    events = Delta("signature_delta", "signature", kSignature);
    block = {{"type", "thinking"}, {"thinking", block["text"]}, {"signature", kSignature}};
  }
  if (keep_ == Keep::kMessage) message_["content"].push_back(std::move(block));
  open_ = Open::kNothing;
  return events + Event("content_block_stop", {{"index", index_++}});
}

std::string MessageWriter::Text(std::string_view text) {
  std::string events = OpenBlock(Open::kText);
  if (keep_ == Keep::kMessage) text_ += text;
  return events + Delta("text_delta", "text", text);
}

std::string MessageWriter::Thinking(std::string_view text) {
  std::string events = OpenBlock(Open::kThinking);
  if (keep_ == Keep::kMessage) text_ += text;
  return events + Delta("thinking_delta", "thinking", text);
}

// A client may run a tool as soon as its block is complete.
std::string MessageWriter::Calls(const std::vector<FunctionCall>& calls) {
  std::string events = BeginOnce() + CloseBlock();
  for (const FunctionCall& call : calls) {
    const json input = InputOf(call);
    json block = {
        {"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", json::object()}};
    events += Event("content_block_start", {{"index", index_}, {"content_block", block}});
    events += Delta("input_json_delta", "partial_json", CompactJson(input));
    events += Event("content_block_stop", {{"index", index_++}});
    block["input"] = input;
    if (keep_ == Keep::kMessage) message_["content"].push_back(std::move(block));
  }
  return events;
}

std::string MessageWriter::Finish(std::string_view stop_reason, std::string_view stop_sequence,
                                  const CompletionUsage& usage) {
  std::string events = BeginOnce() + CloseBlock();
  message_["stop_reason"] = stop_reason;
  if (!stop_sequence.empty()) message_["stop_sequence"] = stop_sequence;
  message_["usage"] = UsageOfMessage(usage);
  events += Event(
      "message_delta",
      {{"delta",
        {{"stop_reason", message_["stop_reason"]}, {"stop_sequence", message_["stop_sequence"]}}},
       {"usage", message_["usage"]}});
  return events + Event("message_stop", json::object());
}

std::string MessageWriter::Error(const ApiError& error, std::string_view request_id) {
  return Named("error", AnthropicErrorBody(InAnthropicForm(error), request_id));
}

std::string MessageWriter::Ping() { return Event("ping", json::object()); }

}  // namespace cursor_gateway
