#include "openai/completion_writer.h"

#include <cursorwire/documents/event_format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "api/concat.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::documents::ServerSentEvent;
using nlohmann::json;

json UsageJson(const AnswerUsage& usage) {
  const int64_t input = usage.turn.input_tokens.value_or(0);
  const int64_t output = usage.turn.output_tokens.value_or(0);
  json value = {{"prompt_tokens", input},
                {"completion_tokens", output},
                {"total_tokens", input + output},
                {"prompt_tokens_details",
                 {{"cached_tokens", usage.turn.cache_read_tokens.value_or(0)},
                  {"cache_write_tokens", usage.turn.cache_write_tokens.value_or(0)}}},
                {"completion_tokens_details",
                 {{"reasoning_tokens", usage.turn.reasoning_tokens.value_or(0)}}}};
  if (usage.context_tokens) value["context_tokens"] = *usage.context_tokens;
  if (usage.context_window) value["context_window"] = *usage.context_window;
  return value;
}

json CallJson(const FunctionCall& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

std::string Event(const json& value) { return ServerSentEvent("", CompactJson(value)); }

json ChunkJson(const AnswerHead& head) {
  return {{"id", head.id},
          {"object", "chat.completion.chunk"},
          {"created", head.created},
          {"model", head.model},
          {"choices", json::array()}};
}

std::string Chunk(const AnswerHead& head, json delta, json finish_reason = nullptr) {
  json chunk = ChunkJson(head);
  chunk["choices"].push_back({{"index", 0},
                              {"delta", std::move(delta)},
                              {"logprobs", nullptr},
                              {"finish_reason", std::move(finish_reason)}});
  return Event(chunk);
}

}  // namespace

CompletionWriter::CompletionWriter(AnswerHead head, bool include_usage, Keep keep)
    : head_(std::move(head)),
      include_usage_(include_usage),
      keep_(keep),
      text_frame_(FrameOf(head_, "content")),
      reasoning_frame_(FrameOf(head_, "reasoning_content")) {}

CompletionWriter::Frame CompletionWriter::FrameOf(const AnswerHead& head, std::string_view member) {
  const std::string chunk = Chunk(head, {{member, ""}});
  // Members are sorted by name, so that `choices` comes before what a client has named.
  const std::string name = Concat("{\"", member, "\":");
  const size_t value = chunk.find(name) + name.size();
  constexpr std::string_view kEmptyText = "\"\"";
  return {.before = chunk.substr(0, value), .after = chunk.substr(value + kEmptyText.size())};
}

std::string CompletionWriter::InFrame(const Frame& frame, std::string_view text) {
  return Concat(RoleOnce(), frame.before, CompactJson(text), frame.after);
}

std::string CompletionWriter::RoleOnce() {
  if (std::exchange(has_role_, true)) return "";
  return Chunk(head_, {{"role", "assistant"}, {"content", ""}});
}

std::string CompletionWriter::Text(std::string_view text) {
  if (keep_ == Keep::kNothing) return InFrame(text_frame_, text);
  text_ += text;
  return "";
}

std::string CompletionWriter::Reasoning(std::string_view text) {
  if (keep_ == Keep::kNothing) return InFrame(reasoning_frame_, text);
  reasoning_ += text;
  return "";
}

std::string CompletionWriter::Calls(const std::vector<FunctionCall>& calls) {
  std::string chunks = RoleOnce();
  for (const FunctionCall& call : calls) {
    json first = CallJson(call);
    if (keep_ == Keep::kWhole) calls_.push_back(first);
    first["index"] = call_count_;
    const json arguments = std::exchange(first["function"]["arguments"], "");
    Append(chunks, Chunk(head_, {{"tool_calls", json::array({std::move(first)})}}));
    json rest = {{"index", call_count_++}, {"function", {{"arguments", arguments}}}};
    Append(chunks, Chunk(head_, {{"tool_calls", json::array({std::move(rest)})}}));
  }
  return chunks;
}

std::string CompletionWriter::Finish(FinishReason reason, std::string_view /*stop*/,
                                     const AnswerUsage& usage) {
  finish_reason_ = reason == FinishReason::kStop ? "stop" : "tool_calls";
  usage_ = UsageJson(usage);
  std::string chunks = Concat(RoleOnce(), Chunk(head_, json::object(), finish_reason_));
  if (include_usage_) {
    json chunk = ChunkJson(head_);
    chunk["usage"] = usage_;
    Append(chunks, Event(chunk));
  }
  return chunks + ServerSentEvent("", "[DONE]");
}

std::string CompletionWriter::Fail(const ApiError& error) {
  return ServerSentEvent("", ErrorBody(error));
}

std::string CompletionWriter::Whole() {
  json message = {{"role", "assistant"}, {"content", text_}, {"refusal", nullptr}};
  if (!reasoning_.empty()) message["reasoning_content"] = reasoning_;
  if (!calls_.is_null()) {
    if (text_.empty()) message["content"] = nullptr;
    message["tool_calls"] = calls_;
  }
  return CompactJson({{"id", head_.id},
                      {"object", "chat.completion"},
                      {"created", head_.created},
                      {"model", head_.model},
                      {"choices",
                       {{{"index", 0},
                         {"message", std::move(message)},
                         {"logprobs", nullptr},
                         {"finish_reason", finish_reason_}}}},
                      {"usage", usage_}});
}

}  // namespace cursor_gateway
