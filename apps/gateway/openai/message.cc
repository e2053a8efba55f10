#include "openai/message.h"

#include <absl/strings/escaping.h>
#include <cursorwire/image.h>

#include <string_view>
#include <utility>

#include "json/json_field.h"
#include "openai/api_error.h"
#include "openai/concat.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

constexpr std::string_view kDataScheme = "data:";
constexpr std::string_view kBase64Mark = ";base64,";
constexpr size_t kMaxQuotedBytes = 64;

// Reads one message; `where` is "messages.[2]".
class MessageReader {
 public:
  MessageReader(std::string where, size_t& image_bytes)
      : where_(std::move(where)), image_bytes_(image_bytes) {}

  absl::StatusOr<Message> Read(const json& value) {
    if (!value.is_object()) return Bad("must be an object", "");
    if (absl::Status status = ReadRole(value); !status.ok()) return status;
    if (absl::Status status = ReadContent(value); !status.ok()) return status;
    if (message_.role == Role::kAssistant) {
      if (absl::Status status = ReadCalls(value); !status.ok()) return status;
    }
    if (message_.role == Role::kTool) {
      const json* id = FieldOf(value, "tool_call_id");
      if (id == nullptr || !id->is_string() || id->get_ref<const std::string&>().empty()) {
        return Bad("must be the id of a call", ".tool_call_id");
      }
      message_.call_id = id->get<std::string>();
    }
    return std::move(message_);
  }

 private:
  absl::Status Bad(std::string_view what, std::string_view member) const {
    const std::string param = Concat(where_, member);
    return BadRequest(Concat("'", param, "' ", what), param);
  }

  absl::Status ReadRole(const json& value) {
    const json* role = FieldOf(value, "role");
    if (role == nullptr || !role->is_string()) return Bad("must be a string", ".role");
    const auto& name = role->get_ref<const std::string&>();
    if (name == "system" || name == "developer") {
      message_.role = Role::kSystem;
    } else if (name == "user") {
      message_.role = Role::kUser;
    } else if (name == "assistant") {
      message_.role = Role::kAssistant;
    } else if (name == "tool") {
      message_.role = Role::kTool;
    } else {
      return Bad(Concat("must be system, developer, user, assistant or tool, not '",
                        name.substr(0, kMaxQuotedBytes), "'"),
                 ".role");
    }
    return absl::OkStatus();
  }

  absl::Status ReadContent(const json& value) {
    const json* content = FieldOf(value, "content");
    if (content == nullptr) {
      if (message_.role == Role::kAssistant) return absl::OkStatus();
      return Bad("is missing", ".content");
    }
    if (content->is_string()) {
      message_.text = content->get<std::string>();
      return absl::OkStatus();
    }
    if (!content->is_array()) return Bad("must be a string or a list of parts", ".content");
    for (size_t i = 0; i < content->size(); ++i) {
      absl::Status status = ReadPart((*content)[i], Concat(".content.[", i, "]"));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadPart(const json& part, const std::string& member) {
    if (!part.is_object()) return Bad("must be an object", member);
    const json* type = FieldOf(part, "type");
    if (type == nullptr || !type->is_string()) return Bad("must be a string", member + ".type");
    const auto& name = type->get_ref<const std::string&>();
    if (name == "text") return ReadText(part, "text", member);
    if (name == "refusal") return ReadText(part, "refusal", member);
    const bool may_show = message_.role == Role::kUser || message_.role == Role::kTool;
    if (name == "image_url" && may_show) return ReadImage(part, member);
    return Bad("is a type of content that is not supported here", member + ".type");
  }

  absl::Status ReadText(const json& part, const char* name, const std::string& member) {
    const json* text = FieldOf(part, name);
    if (text == nullptr || !text->is_string()) {
      return Bad("must be a string", Concat(member, ".", name));
    }
    message_.text += text->get_ref<const std::string&>();
    return absl::OkStatus();
  }

  // Files and addresses of the web are never fetched: a client could make the gateway ask others
  // in its name.
  absl::Status ReadImage(const json& part, const std::string& member) {
    const json* image = FieldOf(part, "image_url");
    const std::string place = member + ".image_url";
    const json* url = image != nullptr && image->is_object() ? FieldOf(*image, "url") : image;
    if (url == nullptr || !url->is_string()) return Bad("must have a url", place);
    std::string_view text = url->get_ref<const std::string&>();
    const size_t mark = text.find(kBase64Mark);
    if (!text.starts_with(kDataScheme) || mark == std::string_view::npos) {
      return Bad("must be a data: URL in base64; others are not fetched", place);
    }
    text.remove_prefix(mark + kBase64Mark.size());
    std::string bytes;
    if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &bytes))
      return Bad("is not base64", place);
    if (!cursorwire::ImageMimeType(bytes)) return Bad("must be jpeg, png, gif or webp", place);
    if (bytes.size() > cursorwire::kMaxImageBytes) return Bad("is over 5 MiB", place);
    image_bytes_ += bytes.size();
    if (image_bytes_ > kMaxRequestImagesBytes) {
      return Bad("brings the images of the request over 32 MiB", place);
    }
    message_.images.push_back(std::move(bytes));
    return absl::OkStatus();
  }

  absl::Status ReadCalls(const json& value) {
    const json* calls = FieldOf(value, "tool_calls");
    if (calls == nullptr) return absl::OkStatus();
    if (!calls->is_array()) return Bad("must be a list", ".tool_calls");
    for (size_t i = 0; i < calls->size(); ++i) {
      absl::Status status = ReadCall((*calls)[i], Concat(".tool_calls.[", i, "]"));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadCall(const json& call, const std::string& member) {
    if (!call.is_object()) return Bad("must be an object", member);
    const json* id = FieldOf(call, "id");
    const json* function = FieldOf(call, "function");
    if (id == nullptr || !id->is_string()) return Bad("must be a string", member + ".id");
    if (function == nullptr || !function->is_object()) {
      return Bad("must be an object", member + ".function");
    }
    const json* name = FieldOf(*function, "name");
    if (name == nullptr || !name->is_string()) {
      return Bad("must be a string", member + ".function.name");
    }
    const json* arguments = FieldOf(*function, "arguments");
    if (arguments != nullptr && !arguments->is_string()) {
      return Bad("must be a string", member + ".function.arguments");
    }
    message_.calls.push_back(
        {.id = id->get<std::string>(),
         .name = name->get<std::string>(),
         .arguments = arguments == nullptr ? "{}" : arguments->get<std::string>()});
    return absl::OkStatus();
  }

  std::string where_;
  size_t& image_bytes_;
  Message message_;
};

}  // namespace

absl::StatusOr<std::vector<Message>> ReadMessages(const json& messages) {
  if (!messages.is_array()) return BadRequest("'messages' must be a list", "messages");
  if (messages.empty()) return BadRequest("'messages' must not be empty", "messages");
  std::vector<Message> read;
  size_t image_bytes = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    MessageReader reader(Concat("messages.[", i, "]"), image_bytes);
    absl::StatusOr<Message> message = reader.Read(messages[i]);
    if (!message.ok()) return message.status();
    read.push_back(*std::move(message));
  }
  return read;
}

}  // namespace cursor_gateway
