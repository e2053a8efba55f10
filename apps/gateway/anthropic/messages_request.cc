#include "anthropic/messages_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "anthropic/message_list.h"
#include "api/api_error.h"
#include "api/concat.h"
#include "api/function_tool.h"
#include "api/json_field.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

constexpr int64_t kTokensOfImage = 1600;
constexpr int64_t kBytesOfToken = 4;

// Tools that the program of the user runs, and whose schema only models of Anthropic's know.
bool IsClientTool(std::string_view type) {
  return type.starts_with("bash_") || type.starts_with("text_editor_") ||
         type.starts_with("computer_") || type.starts_with("memory_");
}

// What a model reads of a value, by bytes; images apart.
struct Weight {
  int64_t bytes = 0;
  int64_t images = 0;

  void Add(const json& value) {
    if (value.is_string()) {
      bytes += static_cast<int64_t>(value.get_ref<const std::string&>().size());
    } else if (const std::string_view type = TextOf(value, "type");
               type == "image" || type == "base64") {
      ++images;  // or a document, whose pages are not looked at
    } else if (value.is_structured()) {
      for (const auto& [name, member] : value.items()) {
        if (value.is_object()) bytes += static_cast<int64_t>(name.size());
        if (name != "signature" && name != "cache_control") Add(member);
      }
    } else {
      bytes += kBytesOfToken;
    }
  }
};

int64_t EstimateTokens(const json& body) {
  Weight weight;
  for (const char* name : {"system", "messages", "tools", "tool_choice", "output_config"}) {
    if (const json* field = FieldOf(body, name); field != nullptr) weight.Add(*field);
  }
  return std::max<int64_t>(1, weight.bytes / kBytesOfToken + weight.images * kTokensOfImage);
}

class MessagesReader {
 public:
  explicit MessagesReader(const json& body) : body_(body) {}

  absl::StatusOr<MessagesRequest> Read() {
    using Step = absl::Status (MessagesReader::*)();
    for (const Step step :
         {&MessagesReader::RefuseThread, &MessagesReader::ReadModel, &MessagesReader::ReadStream,
          &MessagesReader::ReadTools, &MessagesReader::ReadStops, &MessagesReader::ReadDialog}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    ReadToolChoice();
    ReadThinking();
    ReadOutput();
    request_.estimated_tokens = EstimateTokens(body_);
    return std::move(request_);
  }

 private:
  const json* Field(const char* name) const { return FieldOf(body_, name); }
  ChatCompletionRequest& chat() { return request_.chat; }

  // Ignored, each request would be answered without those before it. This is the one refusal after
  // which Anthropic's SDK goes on without threads.
  absl::Status RefuseThread() {
    const json* thread = Field("thread");
    if (thread == nullptr || *thread == false) return absl::OkStatus();
    return BadRequest("thread: message threads are not supported here", "thread",
                      "thread_unsupported_request");
  }

  absl::Status ReadModel() { return ReadModelId(body_, chat().model); }

  absl::Status ReadStream() { return ReadFlag(body_, "stream", chat().stream); }

  absl::Status ReadDialog() {
    const json* messages = Field("messages");
    if (messages == nullptr) return MissingField("messages");
    absl::StatusOr<MessageList> list = ReadMessageList(Field("system"), *messages);
    if (!list.ok()) return list.status();
    chat().messages = std::move(list->messages);
    request_.loaded_tools = std::move(list->loaded_tools);
    if (client_tools_.empty()) return absl::OkStatus();
    chat().messages.insert(
        chat().messages.begin(),
        {.role = Role::kSystem,
         .text = Concat("These tools cannot be used here: ", client_tools_, ".")});
    return absl::OkStatus();
  }

  absl::Status ReadTools() {
    const json* tools = Field("tools");
    if (tools == nullptr) return absl::OkStatus();
    if (!tools->is_array()) return WrongField("tools", "a list");
    if (tools->size() > kMaxTools) {
      return WrongField("tools", Concat("a list of at most ", kMaxTools, " tools"));
    }
    for (size_t i = 0; i < tools->size(); ++i) {
      absl::Status status = ReadTool((*tools)[i], Concat("tools.", i));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadTool(const json& value, const std::string& where) {
    const std::string_view name = TextOf(value, "name");
    const std::string_view type = TextOf(value, "type");
    if (name.empty() && type.empty()) return WrongField(where + ".name", "a string");
    if (!(type.empty() || type == "custom") || !IsToolName(name)) {
      LeaveOut(name, type);
      return absl::OkStatus();
    }
    const json* schema = FieldOf(value, "input_schema");
    if (schema != nullptr && !schema->is_object()) {
      return WrongField(where + ".input_schema", "an object");
    }
    if (IsOffered(name)) return BadRequest("tools: names must be unique", "tools");
    chat().tools.push_back({.name = std::string(name),
                            .description = std::string(TextOf(value, "description")),
                            .parameters = schema == nullptr ? "" : CompactJson(*schema)});
    return CheckSchema(chat().tools.back(), where + ".input_schema");
  }

  // A server's tool, or one with a name that the service does not take, beside others.
  void LeaveOut(std::string_view name, std::string_view type) {
    request_.left_out.emplace_back(IsToolName(type) ? type : name);
    if (!IsClientTool(type) || !IsToolName(name)) return;
    Append(client_tools_, client_tools_.empty() ? "" : ", ", name);
  }

  bool IsOffered(std::string_view name) {
    return std::any_of(chat().tools.begin(), chat().tools.end(),
                       [name](const FunctionTool& tool) { return tool.name == name; });
  }

  absl::Status ReadStops() {
    const json* stops = Field("stop_sequences");
    if (stops == nullptr) return absl::OkStatus();
    if (!stops->is_array() || stops->size() > kMaxStops) {
      return WrongField("stop_sequences", Concat("a list of at most ", kMaxStops));
    }
    for (const json& stop : *stops) {
      if (!stop.is_string() || stop.get_ref<const std::string&>().size() > kMaxStopBytes) {
        return WrongField("stop_sequences", Concat("strings of at most ", kMaxStopBytes, " bytes"));
      }
      if (!stop.get_ref<const std::string&>().empty())
        chat().stop.push_back(stop.get<std::string>());
    }
    return absl::OkStatus();
  }

  // A tool that is left out cannot be called: the model answers in its own words.
  void ReadToolChoice() {
    const json* choice = Field("tool_choice");
    if (choice == nullptr) return;
    const std::string_view type = TextOf(*choice, "type");
    const std::string_view name = TextOf(*choice, "name");
    if (type == "any") chat().tool_choice = ToolChoice::kRequired;
    if (type == "none") chat().tool_choice = ToolChoice::kNone;
    if (type == "tool" && IsOffered(name)) {
      chat().tool_choice = ToolChoice::kNamed;
      chat().named_tool = name;
    }
    const json* disables = FieldOf(*choice, "disable_parallel_tool_use");
    chat().parallel_tool_calls = disables == nullptr || *disables != true;
  }

  void ReadThinking() {
    const json* thinking = Field("thinking");
    if (thinking == nullptr) return;
    const std::string_view type = TextOf(*thinking, "type");
    request_.shows_thinking =
        (type == "enabled" || type == "adaptive") && TextOf(*thinking, "display") != "omitted";
  }

  void ReadOutput() {
    const json* config = Field("output_config");
    const json* format = Field("output_format");
    if (config != nullptr) {
      chat().reasoning_effort = TextOf(*config, "effort");
      chat().effort_is_wish = true;
      if (const json* newer = FieldOf(*config, "format"); newer != nullptr) format = newer;
    }
    if (format == nullptr || TextOf(*format, "type") != "json_schema") return;
    chat().wants_json = true;
    const json* schema = FieldOf(*format, "schema");
    if (schema != nullptr && schema->is_object()) chat().json_schema = CompactJson(*schema);
  }

  const json& body_;
  MessagesRequest request_;
  std::string client_tools_;
};

absl::StatusOr<json> ReadBody(std::string_view body) {
  absl::StatusOr<json> value = ReadJson(body);
  if (value.ok() && !value->is_object()) return BadRequest("the body must be a JSON object", "");
  return value;
}

}  // namespace

absl::StatusOr<MessagesRequest> ReadMessagesRequest(std::string_view body) {
  const absl::StatusOr<json> value = ReadBody(body);
  if (!value.ok()) return value.status();
  return MessagesReader(*value).Read();
}

absl::StatusOr<int64_t> CountTokens(std::string_view body) {
  const absl::StatusOr<json> value = ReadBody(body);
  if (!value.ok()) return value.status();
  const json* messages = FieldOf(*value, "messages");
  if (messages == nullptr || !messages->is_array() || messages->empty()) {
    return WrongField("messages", "a list that is not empty");
  }
  // Clients that shorten their history too late are worse off than those that do it too early.
  const int64_t estimate = EstimateTokens(*value);
  return estimate + estimate * 3 / 20;
}

}  // namespace cursor_gateway
