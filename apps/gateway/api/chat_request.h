#ifndef CURSORWIRE_APPS_GATEWAY_API_CHAT_REQUEST_H_
#define CURSORWIRE_APPS_GATEWAY_API_CHAT_REQUEST_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/function_tool.h"
#include "api/message.h"

namespace cursor_gateway {

enum class ToolChoice { kAuto, kNone, kRequired, kNamed };

// The body of POST /v1/chat/completions, checked. A value; what has no effect on an answer of the
// service is not kept. docs/gateway.md has each field.
struct ChatCompletionRequest {
  std::string model{};
  std::vector<Message> messages{};
  bool stream = false;
  bool include_usage = false;
  std::vector<FunctionTool> tools{};
  ToolChoice tool_choice = ToolChoice::kAuto;
  std::string named_tool{};  // of ToolChoice::kNamed
  bool parallel_tool_calls = true;
  std::vector<std::string> stop{};  // none is empty
  std::string reasoning_effort{};   // empty: not asked for
  bool effort_is_wish = false;      // one that the model does not have is ignored
  bool wants_json = false;          // `response_format` asks for an object
  std::string json_schema{};        // that it is to follow, as text; empty: any
};

// Each piece of a stream has it.
inline constexpr size_t kMaxModelBytes = 256;
inline constexpr size_t kMaxStops = 256;
inline constexpr size_t kMaxStopBytes = 4096;

// Source: openai/openai-openapi, CreateChatCompletionRequest.
//   a BadRequest() that names the field
absl::StatusOr<ChatCompletionRequest> ReadChatRequest(std::string_view body);

// What other APIs have in the same way; errors name their fields.
absl::Status ReadModelId(const nlohmann::json& body, std::string& model);
absl::Status UnsupportedField(std::string_view param);
// `tool_choice`, when the tools are read. `name_of` finds the name of the tool that an object
// names; empty: it names none.
absl::Status ReadToolChoice(const nlohmann::json& choice,
                            const std::function<std::string(const nlohmann::json&)>& name_of,
                            ChatCompletionRequest& request);
// The format of an answer. `named` has the `schema`; `where` stands before the fields of `format`.
absl::Status ReadJsonFormat(const nlohmann::json& format, const nlohmann::json& named,
                            std::string_view where, ChatCompletionRequest& request);

// The tools that the model is told of: all, or the one that `tool_choice` names, or none.
std::vector<FunctionTool> OfferedTools(const ChatCompletionRequest& request);

// What the service has no field for, as rules for the model: a call that must be made, an answer in
// JSON. They are no guarantee. Empty: nothing of the kind was asked for.
std::string ExtraRules(const ChatCompletionRequest& request);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_CHAT_REQUEST_H_
