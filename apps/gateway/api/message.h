#ifndef CURSORWIRE_APPS_GATEWAY_API_MESSAGE_H_
#define CURSORWIRE_APPS_GATEWAY_API_MESSAGE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
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
  bool is_error = false;              // of a tool: it failed

  friend bool operator==(const Message&, const Message&) = default;
};

// Each takes a kilobyte beside its text, and more of time.
inline constexpr size_t kMaxMessages = 20'000;

// The images of a whole request.
inline constexpr size_t kMaxRequestImagesBytes = size_t{32} * 1024 * 1024;

// Reads what is in messages of one request, of any of the APIs: a BadRequest() names the field.
class ContentReader {
 public:
  // Adds a text, or a list of parts, to `message`; its role decides what may be in it. Results of
  // tools may have parts of any type: a text stands for those that are not known. `where` is the
  // name of the field, such as "messages.[2].content".
  absl::Status Read(const nlohmann::json& content, const std::string& where, Message& message);

  // Adds an image, of a data: URL or in base64; its type is seen from its bytes.
  absl::Status AddImageUrl(std::string_view url, std::string_view where, Message& message);
  absl::Status AddImage(std::string_view base64, std::string_view where, Message& message);

 private:
  absl::Status ReadPart(const nlohmann::json& part, const std::string& where, Message& message);

  size_t image_bytes_ = 0;
};

// Reads the field `messages`.
//   a BadRequest() whose `param` begins with "messages"
absl::StatusOr<std::vector<Message>> ReadMessages(const nlohmann::json& messages);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_MESSAGE_H_
