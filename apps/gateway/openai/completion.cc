#include "openai/completion.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "openai/concat.h"
#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

std::string_view NameOf(FinishReason reason) {
  return reason == FinishReason::kStop ? "stop" : "tool_calls";
}

json UsageJson(const CompletionUsage& usage) {
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
          {"function", {{"name", call.name}, {"arguments", CallArguments(call.arguments)}}}};
}

std::string Event(const json& value) { return Concat("data: ", CompactJson(value), "\n\n"); }

json ChunkJson(const CompletionHead& head) {
  return {{"id", head.id},
          {"object", "chat.completion.chunk"},
          {"created", head.created},
          {"model", head.model},
          {"choices", json::array()}};
}

std::string Chunk(const CompletionHead& head, json delta, json finish_reason = nullptr) {
  json chunk = ChunkJson(head);
  chunk["choices"].push_back({{"index", 0},
                              {"delta", std::move(delta)},
                              {"logprobs", nullptr},
                              {"finish_reason", std::move(finish_reason)}});
  return Event(chunk);
}

}  // namespace

CompletionUsage WithContextAsPrompt(CompletionUsage usage) {
  if (!usage.context_tokens) return usage;
  // The context holds the answer, too.
  const int64_t output = std::min(usage.turn.output_tokens.value_or(0), *usage.context_tokens);
  const int64_t input = *usage.context_tokens - output;
  usage.turn.input_tokens = input;
  usage.turn.output_tokens = output;
  for (auto* part : {&usage.turn.cache_read_tokens, &usage.turn.cache_write_tokens}) {
    if (*part) *part = std::min(**part, input);
  }
  if (usage.turn.reasoning_tokens) {
    usage.turn.reasoning_tokens = std::min(*usage.turn.reasoning_tokens, output);
  }
  return usage;
}

std::string CompletionBody(const CompletionHead& head, const Completion& completion) {
  json message = {{"role", "assistant"}, {"content", completion.text}, {"refusal", nullptr}};
  if (!completion.reasoning.empty()) message["reasoning_content"] = completion.reasoning;
  if (!completion.calls.empty()) {
    if (completion.text.empty()) message["content"] = nullptr;
    for (const FunctionCall& call : completion.calls) {
      message["tool_calls"].push_back(CallJson(call));
    }
  }
  return CompactJson({{"id", head.id},
                      {"object", "chat.completion"},
                      {"created", head.created},
                      {"model", head.model},
                      {"choices",
                       {{{"index", 0},
                         {"message", std::move(message)},
                         {"logprobs", nullptr},
                         {"finish_reason", NameOf(completion.finish_reason)}}}},
                      {"usage", UsageJson(completion.usage)}});
}

ChunkWriter::ChunkWriter(CompletionHead head)
    : head_(std::move(head)),
      text_(FrameOf(head_, "content")),
      reasoning_(FrameOf(head_, "reasoning_content")) {}

ChunkWriter::Frame ChunkWriter::FrameOf(const CompletionHead& head, std::string_view member) {
  const std::string chunk = Chunk(head, {{member, ""}});
  // Members are sorted by name, so that `choices` comes before what a client has named.
  const std::string name = Concat("{\"", member, "\":");
  const size_t value = chunk.find(name) + name.size();
  constexpr std::string_view kEmptyText = "\"\"";
  return {.before = chunk.substr(0, value), .after = chunk.substr(value + kEmptyText.size())};
}

std::string ChunkWriter::InFrame(const Frame& frame, std::string_view text) {
  return Concat(RoleOnce(), frame.before, CompactJson(text), frame.after);
}

std::string ChunkWriter::RoleOnce() {
  if (std::exchange(has_role_, true)) return "";
  return Chunk(head_, {{"role", "assistant"}, {"content", ""}});
}

std::string ChunkWriter::Text(std::string_view text) { return InFrame(text_, text); }

std::string ChunkWriter::Reasoning(std::string_view text) { return InFrame(reasoning_, text); }

std::string ChunkWriter::Calls(const std::vector<FunctionCall>& calls) {
  std::string chunks = RoleOnce();
  for (const FunctionCall& call : calls) {
    const size_t index = calls_++;
    json first = CallJson(call);
    first["index"] = index;
    const std::string arguments = first["function"]["arguments"];
    first["function"]["arguments"] = "";
    Append(chunks, Chunk(head_, {{"tool_calls", json::array({std::move(first)})}}));
    json rest = {{"index", index}, {"function", {{"arguments", arguments}}}};
    Append(chunks, Chunk(head_, {{"tool_calls", json::array({std::move(rest)})}}));
  }
  return chunks;
}

std::string ChunkWriter::Finish(FinishReason reason) {
  return Concat(RoleOnce(), Chunk(head_, json::object(), NameOf(reason)));
}

std::string ChunkWriter::Usage(const CompletionUsage& usage) {
  json chunk = ChunkJson(head_);
  chunk["usage"] = UsageJson(usage);
  return Event(chunk);
}

std::string ChunkWriter::Done() { return "data: [DONE]\n\n"; }

std::string ChunkWriter::Error(const ApiError& error) {
  return Concat("data: ", ErrorBody(error), "\n\n");
}

}  // namespace cursor_gateway
