#include "api/chat_request.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_field.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> kEfforts = {"none", "minimal", "low", "medium",
                                                      "high", "xhigh",   "max"};

bool HasTool(const ChatCompletionRequest& request, std::string_view name) {
  return std::any_of(request.tools.begin(), request.tools.end(),
                     [name](const FunctionTool& tool) { return tool.name == name; });
}

// {"mode", "tools"}, which chat completions have within a member of the same name: the other tools
// are not offered.
absl::Status AllowTools(const json& choice, const std::function<std::string(const json&)>& name_of,
                        ChatCompletionRequest& request) {
  const json* nested = FieldOf(choice, "allowed_tools");
  const json& allowed = nested == nullptr ? choice : *nested;
  const json* tools = FieldOf(allowed, "tools");
  if (tools == nullptr || !tools->is_array()) {
    return WrongField("tool_choice", "an object with a list of tools");
  }
  if (TextOf(allowed, "mode") == "required") request.tool_choice = ToolChoice::kRequired;
  std::set<std::string> names;
  for (const json& tool : *tools) {
    const std::string name = name_of(tool);
    if (name.empty()) continue;  // of a kind that is not offered
    if (!names.insert(name).second || HasTool(request, name)) continue;
    return BadRequest("'tool_choice' allows a function that is not in 'tools'", "tool_choice");
  }
  std::erase_if(request.tools,
                [&names](const FunctionTool& tool) { return !names.contains(tool.name); });
  return absl::OkStatus();
}

class RequestReader {
 public:
  explicit RequestReader(const json& body) : body_(body) {}

  absl::StatusOr<ChatCompletionRequest> Read() {
    using Step = absl::Status (RequestReader::*)();
    for (const Step step :
         {&RequestReader::ReadModel, &RequestReader::ReadMessageList, &RequestReader::ReadStream,
          &RequestReader::ReadTools, &RequestReader::ReadChoice, &RequestReader::ReadStop,
          &RequestReader::ReadEffort, &RequestReader::ReadFormat, &RequestReader::RefuseOtherShapes,
          &RequestReader::CheckIgnored}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    return std::move(request_);
  }

 private:
  const json* Field(const char* name) const { return FieldOf(body_, name); }

  absl::Status ReadModel() { return ReadModelId(body_, request_.model); }

  absl::Status ReadMessageList() {
    const json* messages = Field("messages");
    if (messages == nullptr) return MissingField("messages");
    absl::StatusOr<std::vector<Message>> read = ReadMessages(*messages);
    if (!read.ok()) return read.status();
    request_.messages = *std::move(read);
    return absl::OkStatus();
  }

  absl::Status ReadStream() {
    absl::Status status = ReadFlag(body_, "stream", request_.stream);
    const json* options = Field("stream_options");
    if (!status.ok() || options == nullptr) return status;
    if (!options->is_object()) return WrongField("stream_options", "an object");
    return ReadFlag(*options, "include_usage", request_.include_usage, "stream_options.");
  }

  absl::Status ReadTools() {
    const json* tools = Field("tools");
    if (tools == nullptr) return absl::OkStatus();
    if (!tools->is_array()) return WrongField("tools", "a list");
    if (tools->size() > kMaxTools) {
      return BadRequest(Concat("'tools' has more than ", kMaxTools, " entries"), "tools");
    }
    for (size_t i = 0; i < tools->size(); ++i) {
      absl::Status status = ReadTool((*tools)[i], Concat("tools.[", i, "]"));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadTool(const json& value, const std::string& where) {
    if (!value.is_object()) return WrongField(where, "an object");
    if (TextOf(value, "type") == "custom") {
      return BadRequest(Concat("'", where, ".type' is custom: /v1/responses takes such tools"),
                        where + ".type", "unsupported_value");
    }
    if (TextOf(value, "type") != "function") return WrongField(where + ".type", "'function'");
    const json* function = FieldOf(value, "function");
    if (function == nullptr || !function->is_object()) {
      return WrongField(where + ".function", "an object");
    }
    FunctionTool tool;
    const std::string members = where + ".function.";
    absl::Status status = ReadFunction(*function, members, tool);
    if (!status.ok()) return status;
    if (!IsToolName(tool.name)) {
      return WrongField(members + "name", "1 to 64 of A-Z, a-z, 0-9, '_' and '-'");
    }
    if (HasTool(request_, tool.name)) {
      return BadRequest(Concat("there are two tools '", tool.name, "'"), members + "name");
    }
    request_.tools.push_back(std::move(tool));
    return absl::OkStatus();
  }

  absl::Status ReadChoice() {
    absl::Status status = ReadFlag(body_, "parallel_tool_calls", request_.parallel_tool_calls);
    const json* choice = Field("tool_choice");
    if (!status.ok() || choice == nullptr) return status;
    return ReadToolChoice(
        *choice,
        [](const json& tool) {
          const json* function = FieldOf(tool, "function");
          return function == nullptr ? "" : std::string(TextOf(*function, "name"));
        },
        request_);
  }

  absl::Status ReadStop() {
    const json* stop = Field("stop");
    if (stop == nullptr) return absl::OkStatus();
    if (stop->is_string()) return AddStop(*stop);
    if (!stop->is_array()) return WrongField("stop", "a string or a list of strings");
    for (const json& entry : *stop) {
      if (absl::Status status = AddStop(entry); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status AddStop(const json& entry) {
    if (!entry.is_string()) return WrongField("stop", "a string or a list of strings");
    const auto& text = entry.get_ref<const std::string&>();
    if (text.size() > kMaxStopBytes) {
      return WrongField("stop", Concat("of strings of at most ", kMaxStopBytes, " bytes"));
    }
    if (text.empty()) return absl::OkStatus();  // it would stop every answer at once
    if (request_.stop.size() == kMaxStops) {
      return WrongField("stop", Concat("a list of at most ", kMaxStops, " strings"));
    }
    request_.stop.push_back(text);
    return absl::OkStatus();
  }

  absl::Status ReadEffort() {
    const json* effort = Field("reasoning_effort");
    if (effort == nullptr) return absl::OkStatus();
    if (!effort->is_string()) return WrongField("reasoning_effort", "a string");
    request_.reasoning_effort = effort->get<std::string>();
    if (std::find(kEfforts.begin(), kEfforts.end(), request_.reasoning_effort) != kEfforts.end()) {
      return absl::OkStatus();
    }
    return BadRequest("'reasoning_effort' must be none, minimal, low, medium, high, xhigh or max",
                      "reasoning_effort", "unsupported_value");
  }

  absl::Status ReadFormat() {
    const json* format = Field("response_format");
    if (format == nullptr) return absl::OkStatus();
    if (!format->is_object()) return WrongField("response_format", "an object");
    const json* named = format;
    if (TextOf(*format, "type") == "json_schema") {
      named = FieldOf(*format, "json_schema");
      if (named == nullptr || !named->is_object()) {
        return WrongField("response_format.json_schema", "an object");
      }
    }
    return ReadJsonFormat(*format, *named, "response_format.", request_);
  }

  static bool AsksForNothing(const json& field) {
    return field == 0 || field == json::array() || field == "none";
  }

  // What would change the shape of the answer.
  absl::Status RefuseOtherShapes() {
    if (const json* n = Field("n"); n != nullptr) {
      if (!n->is_number_integer()) return WrongField("n", "a whole number");
      if (*n != 1) return BadRequest("'n' must be 1", "n", "unsupported_value");
    }
    bool logprobs = false;
    if (absl::Status status = ReadFlag(body_, "logprobs", logprobs); !status.ok()) {
      return status;
    }
    if (logprobs) return UnsupportedField("logprobs");
    for (const char* name : {"top_logprobs", "audio", "functions", "function_call"}) {
      const json* field = Field(name);
      if (field != nullptr && !AsksForNothing(*field)) return UnsupportedField(name);
    }
    const json* modalities = Field("modalities");
    if (modalities == nullptr) return absl::OkStatus();
    if (!modalities->is_array()) return WrongField("modalities", "a list");
    const bool audio = std::any_of(modalities->begin(), modalities->end(),
                                   [](const json& entry) { return entry == "audio"; });
    return audio ? UnsupportedField("modalities") : absl::OkStatus();
  }

  // Fields that clients send and the service does not have.
  absl::Status CheckIgnored() {
    for (const char* name : {"temperature", "top_p", "presence_penalty", "frequency_penalty",
                             "seed", "max_tokens", "max_completion_tokens"}) {
      const json* field = Field(name);
      if (field != nullptr && !field->is_number()) return WrongField(name, "a number");
    }
    return absl::OkStatus();
  }

  const json& body_;
  ChatCompletionRequest request_;
};

}  // namespace

absl::StatusOr<ChatCompletionRequest> ReadChatRequest(std::string_view body) {
  const absl::StatusOr<json> value = ReadJson(body);
  if (!value.ok()) return value.status();
  if (!value->is_object()) return BadRequest("the body must be a JSON object", "");
  return RequestReader(*value).Read();
}

absl::Status ReadModelId(const json& body, std::string& model) {
  if (FieldOf(body, "model") == nullptr) return MissingField("model");
  absl::Status status = ReadString(body, "model", model);
  if (!status.ok() || (!model.empty() && model.size() <= kMaxModelBytes)) return status;
  return WrongField("model", Concat("the id of a model, of at most ", kMaxModelBytes, " bytes"));
}

absl::Status UnsupportedField(std::string_view param) {
  return BadRequest(Concat("'", param, "' is not supported"), param, "unsupported_parameter");
}

absl::Status ReadToolChoice(const json& choice,
                            const std::function<std::string(const json&)>& name_of,
                            ChatCompletionRequest& request) {
  if (choice.is_object()) {
    if (TextOf(choice, "type") == "allowed_tools") return AllowTools(choice, name_of, request);
    request.tool_choice = ToolChoice::kNamed;
    request.named_tool = name_of(choice);
    if (request.named_tool.empty()) {
      return WrongField("tool_choice", "an object with the name of a function");
    }
    if (HasTool(request, request.named_tool)) return absl::OkStatus();
    return BadRequest("'tool_choice' names a function that is not in 'tools'", "tool_choice");
  }
  if (!choice.is_string()) return WrongField("tool_choice", "a string or an object");
  if (choice == "none") {
    request.tool_choice = ToolChoice::kNone;
  } else if (choice == "required") {
    request.tool_choice = ToolChoice::kRequired;
  } else if (choice != "auto") {
    return BadRequest("'tool_choice' must be none, auto, required or a function", "tool_choice",
                      "unsupported_value");
  }
  return absl::OkStatus();
}

absl::Status ReadJsonFormat(const json& format, const json& named, std::string_view where,
                            ChatCompletionRequest& request) {
  std::string type;
  absl::Status status = RequireString(format, "type", type, where);
  if (!status.ok() || type == "text") return status;
  request.wants_json = true;
  if (type == "json_object") return absl::OkStatus();
  if (type != "json_schema") {
    const std::string param = Concat(where, "type");
    return BadRequest(Concat("'", param, "' must be text, json_object or json_schema"), param,
                      "unsupported_value");
  }
  const json* schema = nullptr;
  const bool is_nested = &format != &named;
  status = ReadObject(named, "schema", schema, is_nested ? Concat(where, "json_schema.") : where);
  if (schema != nullptr) request.json_schema = CompactJson(*schema);
  return status;
}

std::vector<FunctionTool> OfferedTools(const ChatCompletionRequest& request) {
  if (request.tool_choice == ToolChoice::kNone) return {};
  if (request.tool_choice != ToolChoice::kNamed) return request.tools;
  std::vector<FunctionTool> named;
  for (const FunctionTool& tool : request.tools) {
    if (tool.name == request.named_tool) named.push_back(tool);
  }
  return named;
}

std::string ExtraRules(const ChatCompletionRequest& request) {
  std::string rules;
  const auto add = [&rules](std::string_view rule) {
    Append(rules, rules.empty() ? "" : "\n\n", rule);
  };
  if (request.tool_choice == ToolChoice::kNamed) {
    add(Concat("You must call the tool ", request.named_tool, " before you answer."));
  } else if (request.tool_choice == ToolChoice::kRequired && !request.tools.empty()) {
    add("You must call at least one of the tools that you are offered before you answer.");
  }
  if (!request.json_schema.empty()) {
    add(
        Concat("Answer with one JSON object and nothing else, without a code fence. It must "
               "follow this JSON Schema: ",
               request.json_schema));
  } else if (request.wants_json) {
    add("Answer with one JSON object and nothing else, without a code fence.");
  }
  return rules;
}

}  // namespace cursor_gateway
