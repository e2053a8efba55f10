#include "api/message.h"

#include <absl/strings/escaping.h>
#include <absl/strings/match.h>
#include <absl/strings/string_view.h>
#include <cursorwire/chat.h>

#include <string_view>
#include <utility>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_field.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

constexpr char kDataScheme[] = "data:";
constexpr char kBase64Mark[] = ";base64";
constexpr size_t kMaxQuotedBytes = 64;

absl::string_view ToAbslView(std::string_view text) { return {text.data(), text.size()}; }

// Reads one message; `where` is "messages.[2].".
class MessageReader {
 public:
  MessageReader(std::string where, ContentReader& content)
      : where_(std::move(where)), content_(content) {}

  absl::StatusOr<Message> Read(const json& value) {
    if (!value.is_object()) return WrongField(where_.substr(0, where_.size() - 1), "an object");
    if (absl::Status status = ReadRole(value); !status.ok()) return status;
    const json* content = FieldOf(value, "content");
    if (content != nullptr) {
      absl::Status status = content_.Read(*content, where_ + "content", message_);
      if (!status.ok()) return status;
    } else if (message_.role != Role::kAssistant && message_.role != Role::kTool) {
      return BadRequest(Concat("'", where_, "content' is missing"), where_ + "content");
    }
    if (message_.role == Role::kAssistant) {
      if (absl::Status status = ReadCalls(value); !status.ok()) return status;
    }
    if (message_.role == Role::kTool) {
      message_.call_id = TextOf(value, "tool_call_id");
      if (message_.call_id.empty()) return WrongField(where_ + "tool_call_id", "the id of a call");
    }
    return std::move(message_);
  }

 private:
  absl::Status ReadRole(const json& value) {
    std::string name;
    if (absl::Status status = RequireString(value, "role", name, where_); !status.ok()) {
      return status;
    }
    if (name == "system" || name == "developer") {
      message_.role = Role::kSystem;
    } else if (name == "user") {
      message_.role = Role::kUser;
    } else if (name == "assistant") {
      message_.role = Role::kAssistant;
    } else if (name == "tool") {
      message_.role = Role::kTool;
    } else {
      return WrongField(where_ + "role", Concat("system, developer, user, assistant or tool, not '",
                                                name.substr(0, kMaxQuotedBytes), "'"));
    }
    return absl::OkStatus();
  }

  absl::Status ReadCalls(const json& value) {
    const json* calls = nullptr;
    absl::Status status = ReadList(value, "tool_calls", calls, where_);
    for (size_t i = 0; status.ok() && calls != nullptr && i < calls->size(); ++i) {
      status = ReadCall((*calls)[i], Concat(where_, "tool_calls.[", i, "]"));
    }
    return status;
  }

  absl::Status ReadCall(const json& call, const std::string& where) {
    if (!call.is_object()) return WrongField(where, "an object");
    FunctionCall read{.arguments = "{}"};
    absl::Status status = RequireString(call, "id", read.id, where + ".");
    if (!status.ok()) return status;
    const json* function = FieldOf(call, "function");
    const std::string members = where + ".function";
    if (function == nullptr || !function->is_object()) return WrongField(members, "an object");
    status = RequireString(*function, "name", read.name, members + ".");
    if (status.ok()) status = ReadString(*function, "arguments", read.arguments, members + ".");
    message_.calls.push_back(std::move(read));
    return status;
  }

  std::string where_;
  ContentReader& content_;
  Message message_;
};

}  // namespace

absl::Status ContentReader::Read(const json& content, const std::string& where, Message& message) {
  if (content.is_string()) {
    message.text += content.get_ref<const std::string&>();
    return absl::OkStatus();
  }
  if (!content.is_array()) return WrongField(where, "a string or a list of parts");
  for (size_t i = 0; i < content.size(); ++i) {
    absl::Status status = ReadPart(content[i], Concat(where, ".[", i, "]"), message);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ContentReader::ReadPart(const json& part, const std::string& where, Message& message) {
  if (!part.is_object()) return WrongField(where, "an object");
  const std::string members = where + ".";
  std::string type;
  if (absl::Status status = RequireString(part, "type", type, members); !status.ok()) return status;
  const bool is_text = type == "text" || type == "input_text" || type == "output_text";
  if (is_text || type == "refusal") {
    std::string text;
    absl::Status status = RequireString(part, is_text ? "text" : "refusal", text, members);
    message.text += text;
    return status;
  }
  if ((type == "image_url" || type == "input_image") &&
      (message.role == Role::kUser || message.role == Role::kTool)) {
    const json* image = FieldOf(part, "image_url");
    const json* url = image != nullptr && image->is_object() ? FieldOf(*image, "url") : image;
    if (url == nullptr || !url->is_string()) {
      return BadRequest(Concat("'", where, ".image_url' must have a url"), where + ".image_url");
    }
    return AddImageUrl(url->get_ref<const std::string&>(), where + ".image_url", message);
  }
  // What the model thought is not told again.
  const bool is_thought = type == "thinking" || type == "reasoning" || type == "redacted_thinking";
  if (is_thought && message.role == Role::kAssistant) return absl::OkStatus();
  if (message.role == Role::kTool) {
    Append(message.text, "[a part of the type '", type.substr(0, kMaxQuotedBytes), "']");
    return absl::OkStatus();
  }
  return BadRequest(Concat("'", where, ".type' is a type of content that is not supported here"),
                    where + ".type");
}

// Files and addresses of the web are never fetched: a client could make the gateway ask others in
// its name.
absl::Status ContentReader::AddImageUrl(std::string_view url, std::string_view where,
                                        Message& message) {
  const std::string_view head = url.substr(0, url.find(','));
  if (head.size() == url.size() || !absl::StartsWithIgnoreCase(ToAbslView(head), kDataScheme) ||
      !absl::EndsWithIgnoreCase(ToAbslView(head), kBase64Mark)) {
    return WrongField(where, "a data: URL in base64; others are not fetched");
  }
  return AddImage(url.substr(head.size() + 1), where, message);
}

absl::Status ContentReader::AddImage(std::string_view base64, std::string_view where,
                                     Message& message) {
  std::string bytes;
  const auto bad = [where](std::string_view what) {
    return BadRequest(Concat("'", where, "' ", what), where);
  };
  if (!absl::Base64Unescape(ToAbslView(base64), &bytes)) return bad("is not base64");
  if (!cursorwire::ImageMimeType(bytes)) return bad("must be jpeg, png, gif or webp");
  if (bytes.size() > cursorwire::kMaxImageBytes) return bad("is over 5 MiB");
  image_bytes_ += bytes.size();
  if (image_bytes_ > kMaxRequestImagesBytes) {
    return bad("brings the images of the request over 32 MiB");
  }
  message.images.push_back(std::move(bytes));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Message>> ReadMessages(const json& messages) {
  if (!messages.is_array()) return BadRequest("'messages' must be a list", "messages");
  if (messages.empty()) return BadRequest("'messages' must not be empty", "messages");
  if (messages.size() > kMaxMessages) return WrongField("messages", "a list of 20000 at most");
  std::vector<Message> read;
  ContentReader content;
  for (size_t i = 0; i < messages.size(); ++i) {
    MessageReader reader(Concat("messages.[", i, "]."), content);
    absl::StatusOr<Message> message = reader.Read(messages[i]);
    if (!message.ok()) return message.status();
    read.push_back(*std::move(message));
  }
  return read;
}

}  // namespace cursor_gateway
