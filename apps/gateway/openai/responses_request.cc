#include "openai/responses_request.h"

#include <set>
#include <utility>

#include "json/json_field.h"
#include "openai/api_error.h"
#include "openai/concat.h"
#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

bool Is(const json* value, std::string_view text) {
  return value != nullptr && value->is_string() && value->get_ref<const std::string&>() == text;
}

// Makes the body of chat completions that means the same.
class Translation {
 public:
  Translation(const json& body, const FindItem& find_item) : body_(body), find_item_(find_item) {}

  absl::StatusOr<json> Run() {
    for (const char* name : {"model", "stream", "parallel_tool_calls"}) {
      if (const json* field = FieldOf(body_, name); field != nullptr) chat_[name] = *field;
    }
    if (absl::Status status = AddInput(); !status.ok()) return status;
    if (absl::Status status = AddTools(); !status.ok()) return status;
    const json* reasoning = FieldOf(body_, "reasoning");
    if (reasoning != nullptr && !reasoning->is_object())
      return WrongField("reasoning", "an object");
    if (reasoning != nullptr && FieldOf(*reasoning, "effort") != nullptr) {
      chat_["reasoning_effort"] = *FieldOf(*reasoning, "effort");
    }
    AddFormat();
    return std::move(chat_);
  }

 private:
  absl::Status AddInput() {
    json& messages = chat_["messages"];
    messages = json::array();
    if (const json* instructions = FieldOf(body_, "instructions"); instructions != nullptr) {
      if (!instructions->is_string()) return WrongField("instructions", "a string");
      messages.push_back({{"role", "system"}, {"content", *instructions}});
    }
    const json* input = FieldOf(body_, "input");
    if (input == nullptr) {
      return BadRequest("'input' is missing", "input", "missing_required_parameter");
    }
    if (input->is_string()) {
      messages.push_back({{"role", "user"}, {"content", *input}});
      return absl::OkStatus();
    }
    if (!input->is_array()) return WrongField("input", "a string or a list of items");
    for (size_t i = 0; i < input->size(); ++i) {
      const std::string where = Concat("input.[", i, "]");
      if (absl::Status status = AddItem((*input)[i], where, messages); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status AddItem(const json& item, const std::string& where, json& messages) {
    if (!item.is_object()) return WrongField(where, "an object");
    const json* type = FieldOf(item, "type");
    if (type == nullptr || Is(type, "message")) return AddMessage(item, where, messages);
    if (Is(type, "function_call")) return AddCall(item, where, messages);
    if (Is(type, "function_call_output")) {
      const json* output = FieldOf(item, "output");
      if (output == nullptr) return WrongField(where + ".output", "a string or a list of parts");
      json message = {{"role", "tool"}, {"content", ContentOf(*output)}};
      if (const json* id = FieldOf(item, "call_id"); id != nullptr) message["tool_call_id"] = *id;
      messages.push_back(std::move(message));
      return absl::OkStatus();
    }
    if (Is(type, "reasoning")) return absl::OkStatus();
    if (Is(type, "item_reference")) return AddReference(item, where, messages);
    return WrongField(where + ".type",
                      "message, function_call, function_call_output, reasoning or "
                      "item_reference");
  }

  // The AI SDK names what it got before in place of sending it again.
  absl::Status AddReference(const json& item, const std::string& where, json& messages) {
    const json* id = FieldOf(item, "id");
    if (id == nullptr || !id->is_string()) return WrongField(where + ".id", "a string");
    std::optional<json> found;
    if (find_item_) found = find_item_(id->get<std::string>());
    if (!found) return BadRequest(Concat("'", where, "' names an unknown item"), where + ".id");
    return AddItem(*found, where, messages);
  }

  absl::Status AddMessage(const json& item, const std::string& where, json& messages) {
    const json* role = FieldOf(item, "role");
    if (role == nullptr || !role->is_string()) return WrongField(where + ".role", "a string");
    const json* content = FieldOf(item, "content");
    if (content == nullptr) return WrongField(where + ".content", "a string or a list of parts");
    json message = {{"role", *role}, {"content", ContentOf(*content)}};
    if (*role == "assistant" && EndsWithAssistant(messages) &&
        !messages.back().contains("tool_calls")) {
      // One answer, in several items.
      json parts = AsParts(messages.back()["content"]);
      for (json& part : AsParts(message["content"])) parts.push_back(std::move(part));
      messages.back()["content"] = std::move(parts);
      return absl::OkStatus();
    }
    messages.push_back(std::move(message));
    return absl::OkStatus();
  }

  absl::Status AddCall(const json& item, const std::string& where, json& messages) {
    json function = json::object();
    for (const char* name : {"name", "arguments"}) {
      if (const json* field = FieldOf(item, name); field != nullptr) function[name] = *field;
    }
    const json* id = FieldOf(item, "call_id");
    if (id == nullptr || !id->is_string()) return WrongField(where + ".call_id", "a string");
    if (!EndsWithAssistant(messages)) {
      messages.push_back({{"role", "assistant"}, {"content", nullptr}});
    }
    messages.back()["tool_calls"].push_back(
        {{"id", *id}, {"type", "function"}, {"function", std::move(function)}});
    return absl::OkStatus();
  }

  static bool EndsWithAssistant(const json& messages) {
    return !messages.empty() && messages.back()["role"] == "assistant";
  }

  static json AsParts(const json& content) {
    if (content.is_array()) return content;
    if (content.is_null()) return json::array();
    return json::array({{{"type", "text"}, {"text", content}}});
  }

  // Parts by the names that chat completions have for them.
  static json ContentOf(const json& content) {
    if (!content.is_array()) return content;
    json parts = json::array();
    for (const json& part : content) {
      const json* type = part.is_object() ? FieldOf(part, "type") : nullptr;
      json translated = part;
      if (Is(type, "input_text") || Is(type, "output_text")) {
        translated["type"] = "text";
      } else if (Is(type, "input_image")) {
        translated["type"] = "image_url";
      }
      parts.push_back(std::move(translated));
    }
    return parts;
  }

  absl::Status AddTools() {
    const json* tools = FieldOf(body_, "tools");
    if (tools != nullptr && !tools->is_array()) return WrongField("tools", "a list");
    json functions = json::array();
    if (tools != nullptr) {
      for (const json& tool : *tools) {
        if (!tool.is_object() || !Is(FieldOf(tool, "type"), "function")) continue;
        json function = tool;
        function.erase("type");
        functions.push_back({{"type", "function"}, {"function", std::move(function)}});
      }
    }
    const json* choice = FieldOf(body_, "tool_choice");
    if (choice != nullptr && choice->is_string()) {
      chat_["tool_choice"] = *choice;
    } else if (choice != nullptr && choice->is_object() &&
               Is(FieldOf(*choice, "type"), "function")) {
      chat_["tool_choice"] = {{"type", "function"}, {"function", *choice}};
    }
    if (!functions.empty()) chat_["tools"] = std::move(functions);
    return absl::OkStatus();
  }

  void AddFormat() {
    const json* text = FieldOf(body_, "text");
    const json* format = text == nullptr || !text->is_object() ? nullptr : FieldOf(*text, "format");
    if (format == nullptr || !format->is_object()) return;
    json translated = {{"type", format->value("type", json())}};
    if (Is(FieldOf(*format, "type"), "json_schema")) {
      translated["json_schema"] = {{"schema", format->value("schema", json())}};
    }
    chat_["response_format"] = std::move(translated);
  }

  const json& body_;
  const FindItem& find_item_;
  json chat_ = json::object();
};

// The names of this API in an error of the other.
absl::Status Renamed(const absl::Status& status) {
  ApiError error = ApiErrorOf(status);
  const auto rename = [](std::string& text) {
    constexpr std::string_view kOther = "messages";
    for (size_t at = text.find(kOther); at != std::string::npos; at = text.find(kOther, at + 1)) {
      text.replace(at, kOther.size(), "input");
    }
  };
  rename(error.param);
  rename(error.message);
  return ToStatus(error);
}

}  // namespace

ResponseReferences ReferencesOf(std::string_view body) {
  ResponseReferences references;
  // Most bodies name nothing, and need not be read twice.
  if (body.find("previous_response_id") == std::string_view::npos &&
      body.find("item_reference") == std::string_view::npos) {
    return references;
  }
  const absl::StatusOr<json> value = ReadJson(body);
  if (!value.ok() || !value->is_object()) return references;
  const json* previous = FieldOf(*value, "previous_response_id");
  if (previous != nullptr && previous->is_string()) references.response_id = *previous;
  const json* input = FieldOf(*value, "input");
  if (input == nullptr || !input->is_array()) return references;
  std::set<std::string> seen;
  for (const json& item : *input) {
    if (!item.is_object() || !Is(FieldOf(item, "type"), "item_reference")) continue;
    const json* id = FieldOf(item, "id");
    if (id != nullptr && id->is_string() && seen.size() < kMaxReferences) seen.insert(*id);
  }
  references.item_ids.assign(seen.begin(), seen.end());
  return references;
}

absl::StatusOr<ResponsesRequest> ReadResponsesRequest(std::string_view body,
                                                      const FindItem& find_item) {
  const absl::StatusOr<json> value = ReadJson(body);
  if (!value.ok()) return value.status();
  if (!value->is_object()) return BadRequest("the body must be a JSON object", "");
  absl::StatusOr<json> chat = Translation(*value, find_item).Run();
  if (!chat.ok()) return chat.status();
  absl::StatusOr<ChatCompletionRequest> read = ReadChatObject(*chat);
  if (!read.ok()) return Renamed(read.status());
  ResponsesRequest request{.chat = *std::move(read)};
  if (const json* previous = FieldOf(*value, "previous_response_id"); previous != nullptr) {
    if (!previous->is_string()) return WrongField("previous_response_id", "a string");
    request.previous_response_id = previous->get<std::string>();
  }
  if (const json* store = FieldOf(*value, "store"); store != nullptr) {
    if (!store->is_boolean()) return WrongField("store", "a boolean");
    request.store = store->get<bool>();
  }
  request.echo = {{"instructions", value->value("instructions", json())},
                  {"metadata", value->value("metadata", json::object())},
                  {"parallel_tool_calls", request.chat.parallel_tool_calls},
                  {"tool_choice", value->value("tool_choice", json("auto"))},
                  {"tools", value->value("tools", json::array())},
                  {"previous_response_id", value->value("previous_response_id", json())}};
  return request;
}

}  // namespace cursor_gateway
