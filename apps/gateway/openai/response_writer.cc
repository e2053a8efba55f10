#include "openai/response_writer.h"

#include <cursorwire/documents/event_format.h>

#include <utility>

#include "api/concat.h"
#include "api/json_text.h"
#include "openai/input_items.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

json TextPart(const std::string& text) {
  return {{"type", "output_text"}, {"text", text}, {"annotations", json::array()}};
}
json SummaryPart(const std::string& text) { return {{"type", "summary_text"}, {"text", text}}; }

json ResponseUsage(const AnswerUsage& usage) {
  const int64_t input = usage.turn.input_tokens.value_or(0);
  const int64_t output = usage.turn.output_tokens.value_or(0);
  return {
      {"input_tokens", input},
      {"input_tokens_details", {{"cached_tokens", usage.turn.cache_read_tokens.value_or(0)}}},
      {"output_tokens", output},
      {"output_tokens_details", {{"reasoning_tokens", usage.turn.reasoning_tokens.value_or(0)}}},
      {"total_tokens", input + output}};
}

// Codex asks again after any code that it does not know, five times. It stops at few, and shows the
// message of one of them alone. Source: docs/gateway-codex.md, "The stream".
std::string FailedCode(const ApiError& error) {
  constexpr int kFirstOfServer = 500;
  constexpr int kTooMany = 429;
  constexpr int kUnimplemented = 501;
  if (error.code == "upstream_resource_exhausted" && error.status < kFirstOfServer) {
    return "context_length_exceeded";  // more than a request may hold
  }
  const bool is_final = error.status < kFirstOfServer || error.status == kUnimplemented;
  if (is_final && error.status != kTooMany) return "invalid_prompt";
  return error.code.empty() ? error.type : error.code;
}

}  // namespace

ResponseWriter::ResponseWriter(const AnswerHead& head, const ResponsesRequest& request,
                               std::function<std::string()> ids)
    : response_(request.echo),
      tools_(request.tools),
      compacts_(request.compacts),
      kept_items_(request.kept_items),
      ids_(std::move(ids)) {
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
  return cursorwire::documents::ServerSentEvent(type, CompactJson(value));
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
  std::string events = compacts_ ? "" : OpenItem(Open::kMessage);
  text_ += text;
  if (compacts_) return events;
  json delta = PartPlace();
  delta["delta"] = text;
  delta["logprobs"] = json::array();
  events += Event("response.output_text.delta", std::move(delta));
  return events;
}

std::string ResponseWriter::Reasoning(std::string_view text) {
  if (compacts_) return "";
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
  for (const FunctionCall& call : calls) events += Call(call);
  return events;
}

// A call comes back in the form that its tool was offered in, else clients do not know it.
std::string ResponseWriter::Call(const FunctionCall& call) {
  const ClientTool* tool = tools_.Find(call.name);
  const ClientTool known = tool == nullptr ? ClientTool{.name = call.name} : *tool;
  json item = {{"status", "in_progress"}, {"call_id", call.id}};
  if (known.form == ToolForm::kSearch) {
    const absl::StatusOr<json> read = ReadJson(call.arguments);
    item.update({{"id", Concat("tsc_", ids_())},
                 {"type", "tool_search_call"},
                 {"status", "completed"},
                 {"execution", "client"},
                 {"arguments", read.ok() && read->is_object() ? *read : json::object()}});
    return AddItem(item, nullptr, item);
  }
  const bool is_function = known.form == ToolForm::kFunction;
  const std::string given = is_function ? call.arguments : FreeTextOf(call.arguments);
  const char* member = is_function ? "arguments" : "input";
  item.update({{"id", Concat(is_function ? "fc_" : "ctc_", ids_())},
               {"type", is_function ? "function_call" : "custom_tool_call"},
               {"name", known.name},
               {member, ""}});
  if (!known.space.empty()) item["namespace"] = known.space;
  json piece = ItemPlace();
  piece["item_id"] = item["id"];
  piece["delta"] = given;
  json whole = item;
  whole[member] = given;
  whole["status"] = "completed";
  const auto write_pieces = [this, is_function, member, &given, &known, &piece] {
    std::string events = Event(is_function ? "response.function_call_arguments.delta"
                                           : "response.custom_tool_call_input.delta",
                               piece);
    piece.erase("delta");
    piece[member] = given;
    if (is_function) piece["name"] = known.name;
    events += Event(is_function ? "response.function_call_arguments.done"
                                : "response.custom_tool_call_input.done",
                    piece);
    return events;
  };
  return AddItem(std::move(item), write_pieces, std::move(whole));
}

std::string ResponseWriter::AddItem(json added, const std::function<std::string()>& write_pieces,
                                    json whole) {
  json place = ItemPlace();
  place["item"] = std::move(added);
  std::string events = Event("response.output_item.added", place);
  if (write_pieces) events += write_pieces();
  place["item"] = whole;
  events += Event("response.output_item.done", std::move(place));
  response_["output"].push_back(std::move(whole));
  return events;
}

std::string ResponseWriter::Compaction() {
  const json item = {{"id", Concat("cmp_", ids_())},
                     {"type", "compaction"},
                     {"encrypted_content", CompactionContent(text_)}};
  return AddItem(item, nullptr, item);
}

std::string ResponseWriter::SignOfLife() {
  return begun_ ? Event("response.in_progress", {{"response", response_}}) : BeginOnce();
}

std::string ResponseWriter::Finish(FinishReason /*reason*/, std::string_view /*stop*/,
                                   const AnswerUsage& usage) {
  std::string events = BeginOnce();
  events += compacts_ ? Compaction() : CloseItem();
  response_["status"] = "completed";
  response_["usage"] = ResponseUsage(usage);
  events += Event("response.completed", {{"response", response_}});
  return events;
}

std::string ResponseWriter::Fail(const ApiError& error) {
  std::string events = BeginOnce();
  response_["status"] = "failed";
  response_["error"] = {{"code", FailedCode(error)}, {"message", error.message}};
  events += Event("response.failed", {{"response", response_}});
  return events;
}

// Source of what POST /v1/responses/compact answers: docs/gateway-codex.md, "Compaction".
std::string ResponseWriter::Whole() {
  if (kept_items_.is_null()) return CompactJson(response_);
  for (const json& item : output()) kept_items_.push_back(item);
  return CompactJson({{"id", response_["id"]},
                      {"object", "response.compaction"},
                      {"created_at", response_["created_at"]},
                      {"output", kept_items_},
                      {"usage", response_["usage"]}});
}

}  // namespace cursor_gateway
