#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_MESSAGE_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_MESSAGE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cursor_gateway {

enum class Role { kSystem, kUser, kAssistant, kTool };

// A call that the assistant made of a function of the client's.
struct FunctionCall {
  std::string id{};
  std::string name{};
  std::string arguments{};  // JSON text, as the model wrote it

  friend bool operator==(const FunctionCall&, const FunctionCall&) = default;
};

// One entry of `messages`. A value.
struct Message {
  Role role = Role::kUser;
  std::string text{};                 // parts are joined without anything between
  std::vector<std::string> images{};  // their bytes; of users and tools
  std::vector<FunctionCall> calls{};  // of the assistant
  std::string call_id{};              // of a tool: the call that it answers

  friend bool operator==(const Message&, const Message&) = default;
};

// The images of a whole request.
inline constexpr size_t kMaxRequestImagesBytes = size_t{32} * 1024 * 1024;

// Reads the field `messages`.
//   a BadRequest() whose `param` begins with "messages"
absl::StatusOr<std::vector<Message>> ReadMessages(const nlohmann::json& messages);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_MESSAGE_H_
