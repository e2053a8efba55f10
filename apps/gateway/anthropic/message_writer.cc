#include "anthropic/message_writer.h"

#include <cursorwire/documents/event_format.h>

#include <algorithm>
#include <utility>

#include "anthropic/anthropic_error.h"
#include "api/concat.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

// The service signs nothing, and strict clients want something. It is ignored when it comes back.
constexpr std::string_view kSignature = "Y3Vyc29yLWdhdGV3YXk=";

constexpr int64_t kTextBytesOfToken = 4;
// Where the service does not tell the model's limit.
constexpr int64_t kUsualWindow = 200'000;

std::string Named(std::string_view type, std::string_view data) {
  return cursorwire::documents::ServerSentEvent(type, data);
}

// Clients skip what has no line with its name.
std::string Event(const char* type, json value) {
  value["type"] = type;
  return Named(type, CompactJson(value));
}

// The input counts without what was read from a cache, or written to one.
json UsageOfMessage(const AnswerUsage& usage) {
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
  absl::StatusOr<json> input = ReadJson(call.arguments);
  return input.ok() && input->is_object() ? *std::move(input) : json::object();
}

}  // namespace

MessageWriter::MessageWriter(const AnswerHead& head, const MessagesRequest& request,
                             std::string request_id, Keep keep)
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
                {"usage", UsageOfMessage({.turn = {.input_tokens = request.estimated_tokens}})}}),
      shows_thinking_(request.shows_thinking),
      estimated_tokens_(request.estimated_tokens),
      request_id_(std::move(request_id)),
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
  if (keep_ == Keep::kWhole) message_["content"].push_back(std::move(block));
  open_ = Open::kNothing;
  return events + Event("content_block_stop", {{"index", index_++}});
}

std::string MessageWriter::Text(std::string_view text) {
  std::string events = OpenBlock(Open::kText);
  said_bytes_ += text.size();
  if (keep_ == Keep::kWhole) text_ += text;
  return events + Delta("text_delta", "text", text);
}

std::string MessageWriter::Reasoning(std::string_view text) {
  if (!shows_thinking_) return "";
  std::string events = OpenBlock(Open::kThinking);
  if (keep_ == Keep::kWhole) text_ += text;
  return events + Delta("thinking_delta", "thinking", text);
}

// A client may run a tool as soon as its block is complete.
std::string MessageWriter::Calls(const std::vector<FunctionCall>& calls) {
  std::string events = BeginOnce() + CloseBlock();
  for (const FunctionCall& call : calls) {
    said_bytes_ += call.name.size() + call.arguments.size();
    const json input = InputOf(call);
    json block = {
        {"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", json::object()}};
    events += Event("content_block_start", {{"index", index_}, {"content_block", block}});
    events += Delta("input_json_delta", "partial_json", CompactJson(input));
    events += Event("content_block_stop", {{"index", index_++}});
    block["input"] = input;
    if (keep_ == Keep::kWhole) message_["content"].push_back(std::move(block));
  }
  return events;
}

std::string MessageWriter::Finish(FinishReason reason, std::string_view stop,
                                  const AnswerUsage& usage) {
  // What was cut at its first word has a block, too.
  std::string events = said_bytes_ == 0 ? Text("") : BeginOnce();
  events += CloseBlock();
  message_["stop_reason"] = reason == FinishReason::kToolCalls ? "tool_use"
                            : stop.empty()                     ? "end_turn"
                                                               : "stop_sequence";
  if (!stop.empty()) message_["stop_sequence"] = stop;
  message_["usage"] = UsageOfMessage(Complete(usage));
  events += Event(
      "message_delta",
      {{"delta",
        {{"stop_reason", message_["stop_reason"]}, {"stop_sequence", message_["stop_sequence"]}}},
       {"usage", message_["usage"]}});
  return events + Event("message_stop", json::object());
}

// Clients shorten their history by the size of the context, which they read here: where the service
// has not told it, it is estimated.
AnswerUsage MessageWriter::Complete(AnswerUsage usage) const {
  if (usage.turn.output_tokens.value_or(0) == 0) {
    usage.turn.output_tokens = static_cast<int64_t>(said_bytes_) / kTextBytesOfToken + 1;
  }
  if (usage.turn.input_tokens.value_or(0) == 0) usage.turn.input_tokens = estimated_tokens_;
  return WithContextAsPrompt(usage);
}

// Claude Code shortens its history at these words, whose numbers it reads.
ApiError MessageWriter::Told(const ApiError& error) const {
  ApiError told = InAnthropicForm(error);
  if (error.code == "context_length_exceeded") {
    told.message = Concat("prompt is too long: ", std::max(estimated_tokens_, kUsualWindow + 1),
                          " tokens > ", kUsualWindow, " maximum");
  }
  return told;
}

std::string MessageWriter::Fail(const ApiError& error) {
  return Named("error", AnthropicErrorBody(Told(error), request_id_));
}

std::string MessageWriter::KeepAlive() const { return Event("ping", json::object()); }

std::string MessageWriter::Whole() { return CompactJson(message_); }

}  // namespace cursor_gateway
