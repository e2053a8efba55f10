#include "openai/response_writer.h"

#include <utility>

#include "openai/concat.h"
#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

json TextPart(const std::string& text) {
  return {{"type", "output_text"}, {"text", text}, {"annotations", json::array()}};
}
json SummaryPart(const std::string& text) { return {{"type", "summary_text"}, {"text", text}}; }

json ResponseUsage(const CompletionUsage& usage) {
  const int64_t input = usage.turn.input_tokens.value_or(0);
  const int64_t output = usage.turn.output_tokens.value_or(0);
  return {
      {"input_tokens", input},
      {"input_tokens_details", {{"cached_tokens", usage.turn.cache_read_tokens.value_or(0)}}},
      {"output_tokens", output},
      {"output_tokens_details", {{"reasoning_tokens", usage.turn.reasoning_tokens.value_or(0)}}},
      {"total_tokens", input + output}};
}

}  // namespace

ResponseWriter::ResponseWriter(CompletionHead head, json echo, std::function<std::string()> ids)
    : response_(std::move(echo)), ids_(std::move(ids)) {
  response_.update({{"id", head.id},
                    {"object", "response"},
                    {"created_at", head.created},
                    {"status", "in_progress"},
                    {"model", head.model},
                    {"output", json::array()},
                    {"error", nullptr},
                    {"incomplete_details", nullptr},
                    {"temperature", nullptr},
                    {"top_p", nullptr},
                    {"usage", nullptr}});
}

std::string ResponseWriter::Event(const char* type, json value) {
  value["type"] = type;
  value["sequence_number"] = sequence_++;
  return Concat("event: ", type, "\ndata: ", CompactJson(value), "\n\n");
}

std::string ResponseWriter::BeginOnce() {
  if (std::exchange(begun_, true)) return "";
  std::string events = Event("response.created", {{"response", response_}});
  events += Event("response.in_progress", {{"response", response_}});
  return events;
}

json ResponseWriter::ItemPlace() const { return {{"output_index", response_["output"].size()}}; }

json ResponseWriter::PartPlace() const {
  json place = ItemPlace();
  place["item_id"] = item_["id"];
  place[open_ == Open::kMessage ? "content_index" : "summary_index"] = 0;
  return place;
}

std::string ResponseWriter::OpenItem(Open kind) {
  std::string events = BeginOnce();
  if (open_ == kind) return events;
  events += CloseItem();
  open_ = kind;
  text_.clear();
  const bool message = kind == Open::kMessage;
  if (message) {
    item_ = {{"id", Concat("msg_", ids_())},
             {"type", "message"},
             {"status", "in_progress"},
             {"role", "assistant"},
             {"content", json::array()}};
  } else {
    item_ = {{"id", Concat("rs_", ids_())}, {"type", "reasoning"}, {"summary", json::array()}};
  }
  json added = ItemPlace();
  added["item"] = item_;
  events += Event("response.output_item.added", std::move(added));
  json part = PartPlace();
  part["part"] = message ? TextPart("") : SummaryPart("");
  events += Event(message ? "response.content_part.added" : "response.reasoning_summary_part.added",
                  std::move(part));
  return events;
}

std::string ResponseWriter::CloseItem() {
  if (open_ == Open::kNothing) return "";
  const bool message = open_ == Open::kMessage;
  json done = PartPlace();
  done["text"] = text_;
  if (message) done["logprobs"] = json::array();
  std::string events =
      Event(message ? "response.output_text.done" : "response.reasoning_summary_text.done",
            std::move(done));
  const json whole = message ? TextPart(text_) : SummaryPart(text_);
  json part = PartPlace();
  part["part"] = whole;
  events += Event(message ? "response.content_part.done" : "response.reasoning_summary_part.done",
                  std::move(part));
  item_[message ? "content" : "summary"].push_back(whole);
  if (message) item_["status"] = "completed";
  json item = ItemPlace();
  item["item"] = item_;
  events += Event("response.output_item.done", std::move(item));
  response_["output"].push_back(std::move(item_));
  item_ = nullptr;
  open_ = Open::kNothing;
  return events;
}

std::string ResponseWriter::Text(std::string_view text) {
  std::string events = OpenItem(Open::kMessage);
  text_ += text;
  json delta = PartPlace();
  delta["delta"] = text;
  delta["logprobs"] = json::array();
  events += Event("response.output_text.delta", std::move(delta));
  return events;
}

std::string ResponseWriter::Reasoning(std::string_view text) {
  std::string events = OpenItem(Open::kReasoning);
  text_ += text;
  json delta = PartPlace();
  delta["delta"] = text;
  events += Event("response.reasoning_summary_text.delta", std::move(delta));
  return events;
}

std::string ResponseWriter::Calls(const std::vector<FunctionCall>& calls) {
  std::string events = BeginOnce();
  events += CloseItem();
  for (const FunctionCall& call : calls) {
    const std::string arguments = CallArguments(call.arguments);
    json item = {{"id", Concat("fc_", ids_())}, {"type", "function_call"},
                 {"status", "in_progress"},     {"call_id", call.id},
                 {"name", call.name},           {"arguments", ""}};
    json added = ItemPlace();
    added["item"] = item;
    events += Event("response.output_item.added", std::move(added));
    json piece = ItemPlace();
    piece["item_id"] = item["id"];
    piece["delta"] = arguments;
    events += Event("response.function_call_arguments.delta", piece);
    piece.erase("delta");
    piece["arguments"] = arguments;
    piece["name"] = call.name;
    events += Event("response.function_call_arguments.done", std::move(piece));
    item["arguments"] = arguments;
    item["status"] = "completed";
    json done = ItemPlace();
    done["item"] = item;
    events += Event("response.output_item.done", std::move(done));
    response_["output"].push_back(std::move(item));
  }
  return events;
}

std::string ResponseWriter::Finish(const CompletionUsage& usage) {
  std::string events = BeginOnce();
  events += CloseItem();
  response_["status"] = "completed";
  response_["usage"] = ResponseUsage(usage);
  events += Event("response.completed", {{"response", response_}});
  return events;
}

std::string ResponseWriter::Fail(const ApiError& error) {
  std::string events = BeginOnce();
  response_["status"] = "failed";
  response_["error"] = {{"code", error.code.empty() ? error.type : error.code},
                        {"message", error.message}};
  events += Event("response.failed", {{"response", response_}});
  return events;
}

}  // namespace cursor_gateway
