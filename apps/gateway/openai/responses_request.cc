#include "openai/responses_request.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_field.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

class ResponsesReader {
 public:
  ResponsesReader(json& body, const FindItem& find_item, ResponsesPath path)
      : body_(body), find_item_(find_item) {
    request_.compacts = path == ResponsesPath::kCompact;
  }

  absl::StatusOr<ResponsesRequest> Read() {
    using Step = absl::Status (ResponsesReader::*)();
    for (const Step step : {&ResponsesReader::ReadPlainFields, &ResponsesReader::RefuseOtherShapes,
                            &ResponsesReader::ReadInput, &ResponsesReader::ReadChoice,
                            &ResponsesReader::ReadFormat}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    if (request_.compacts) AskForSummary();
    request_.echo = {{"instructions", Taken("instructions", json())},
                     {"metadata", Taken("metadata", json::object())},
                     {"parallel_tool_calls", request_.chat.parallel_tool_calls},
                     {"tool_choice", Taken("tool_choice", "auto")},
                     {"text", Taken("text", {{"format", {{"type", "text"}}}})},
                     {"tools", Taken("tools", json::array())},
                     {"previous_response_id", Taken("previous_response_id", json())}};
    return std::move(request_);
  }

 private:
  json Taken(const char* name, json missing) {
    const auto it = body_.find(name);
    return it == body_.end() || it->is_null() ? std::move(missing) : std::move(*it);
  }

  absl::Status ReadPlainFields() {
    ChatCompletionRequest& chat = request_.chat;
    absl::Status status = ReadModelId(body_, chat.model);
    if (status.ok()) status = ReadFlag(body_, "stream", chat.stream);
    if (status.ok()) status = ReadFlag(body_, "store", request_.store);
    if (status.ok()) status = ReadFlag(body_, "parallel_tool_calls", chat.parallel_tool_calls);
    if (status.ok()) {
      status = ReadString(body_, "previous_response_id", request_.previous_response_id);
    }
    const json* reasoning = nullptr;
    if (status.ok()) status = ReadObject(body_, "reasoning", reasoning);
    if (!status.ok() || reasoning == nullptr) return status;
    // Clients send what they have for all models.
    chat.effort_is_wish = true;
    return ReadString(*reasoning, "effort", chat.reasoning_effort, "reasoning.");
  }

  // What the model would lack of what its client believes it has, or another kind of answer.
  absl::Status RefuseOtherShapes() {
    bool background = false;
    absl::Status status = ReadFlag(body_, "background", background);
    if (!status.ok()) return status;
    if (background) return UnsupportedField("background");
    for (const char* name : {"conversation", "prompt"}) {
      if (FieldOf(body_, name) != nullptr) return UnsupportedField(name);
    }
    return absl::OkStatus();
  }

  absl::Status ReadInput() {
    std::vector<Message>& messages = request_.chat.messages;
    std::string instructions;
    absl::Status status = ReadString(body_, "instructions", instructions);
    if (!status.ok()) return status;
    if (FieldOf(body_, "instructions") != nullptr) {
      messages.push_back({.role = Role::kSystem, .text = std::move(instructions)});
      request_.has_instructions = true;
    }
    if (const json* tools = FieldOf(body_, "tools"); tools != nullptr) {
      status = request_.tools.Add(*tools, "tools");
    }
    const json* input = FieldOf(body_, "input");
    if (!status.ok()) return status;
    if (input == nullptr) return MissingField("input");
    if (input->is_string()) {
      messages.push_back({.role = Role::kUser, .text = input->get<std::string>()});
      const json said = {{"type", "message"}, {"role", "user"}, {"content", *input}};
      if (request_.compacts) KeepUserMessages(json::array({said}));
      return absl::OkStatus();
    }
    if (!input->is_array()) return WrongField("input", "a string or a list of items");
    if (input->empty()) return BadRequest("'input' must not be empty", "input");
    if (request_.compacts) KeepUserMessages(*input);
    InputItems items(request_.tools, find_item_);
    status = items.Read(*input, messages);
    request_.compacts = request_.compacts || items.asks_for_compaction();
    return status;
  }

  absl::Status ReadChoice() {
    request_.chat.tools = request_.tools.functions();
    const json* choice = FieldOf(body_, "tool_choice");
    if (choice == nullptr) return absl::OkStatus();
    const auto name_of = [this](const json& tool) {
      const std::string_view name = TextOf(tool, "name");
      return name.empty() ? "" : request_.tools.NameOf(TextOf(tool, "namespace"), name);
    };
    // One that is left out cannot be forced.
    const std::string_view type = TextOf(*choice, "type");
    const bool has_name = type.empty() || type == "function" || !name_of(*choice).empty();
    if (choice->is_object() && !has_name && type != "allowed_tools") return absl::OkStatus();
    return ReadToolChoice(*choice, name_of, request_.chat);
  }

  absl::Status ReadFormat() {
    const json* text = nullptr;
    absl::Status status = ReadObject(body_, "text", text);
    const json* format = nullptr;
    if (status.ok() && text != nullptr) status = ReadObject(*text, "format", format, "text.");
    if (!status.ok() || format == nullptr) return status;
    return ReadJsonFormat(*format, *format, "text.format.", request_.chat);
  }

  void KeepUserMessages(const json& input) {
    request_.chat.stream = false;
    request_.kept_items = json::array();
    for (const json& item : input) {
      if (TextOf(item, "role") == "user") request_.kept_items.push_back(item);
    }
  }

  void AskForSummary() {
    ChatCompletionRequest& chat = request_.chat;
    chat.messages.push_back({.role = Role::kUser, .text = kSummaryPrompt});
    chat.tool_choice = ToolChoice::kNone;
    chat.wants_json = false;
    chat.json_schema.clear();
  }

  json& body_;
  const FindItem& find_item_;
  ResponsesRequest request_;
};

}  // namespace

absl::StatusOr<ResponseReferences> ReferencesOf(const json& body) {
  ResponseReferences references;
  references.response_id = TextOf(body, "previous_response_id");
  const json* input = FieldOf(body, "input");
  if (input == nullptr || !input->is_array()) return references;
  std::set<std::string, std::less<>> seen;
  size_t count = 0;
  for (const json& item : *input) {
    if (TextOf(item, "type") != "item_reference") continue;
    if (++count > kMaxReferences) {
      return BadRequest(Concat("'input' names more than ", kMaxReferences, " items"), "input");
    }
    seen.emplace(TextOf(item, "id"));
  }
  references.item_ids.assign(seen.begin(), seen.end());
  return references;
}

absl::StatusOr<ResponsesRequest> ReadResponsesRequest(json body, const FindItem& find_item,
                                                      ResponsesPath path) {
  if (!body.is_object()) return BadRequest("the body must be a JSON object", "");
  return ResponsesReader(body, find_item, path).Read();
}

}  // namespace cursor_gateway
