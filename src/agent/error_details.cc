#include "agent/error_details.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "wire/json.h"
#include "wire/proto_reader.h"

namespace cursorwire::agent {
namespace {

constexpr std::string_view kType = "aiserver.v1.ErrorDetails";
// ErrorDetails: 2 details = CustomErrorDetails: 1 title, 2 detail.
constexpr uint32_t kDetailsField = 2;
constexpr uint32_t kTitleField = 1;
constexpr uint32_t kDetailField = 2;

struct Texts {
  std::string title{};
  std::string detail{};
};

// The last occurrence of a length-delimited field; nullopt if there is none or the bytes are
// broken.
std::optional<std::string_view> FindField(std::string_view message, uint32_t number) {
  wire::ProtoReader reader(message);
  std::optional<std::string_view> found;
  for (;;) {
    const absl::StatusOr<std::optional<wire::ProtoField>> field = reader.Next();
    if (!field.ok()) return std::nullopt;
    if (!field->has_value()) return found;
    if ((*field)->number == number && (*field)->type == wire::WireType::kLength) {
      found = (*field)->bytes;
    }
  }
}

std::optional<Texts> FromValue(std::string_view value) {
  const std::optional<std::string_view> details = FindField(value, kDetailsField);
  if (!details) return std::nullopt;
  return Texts{.title = std::string(FindField(*details, kTitleField).value_or("")),
               .detail = std::string(FindField(*details, kDetailField).value_or(""))};
}

std::optional<Texts> FromDebug(std::string_view debug) {
  const absl::StatusOr<wire::Json> json = wire::ParseJson(debug);
  const wire::Json* details = json.ok() ? json->Find("details") : nullptr;
  if (details == nullptr) return std::nullopt;
  return Texts{.title = std::string(details->FindString("title")),
               .detail = std::string(details->FindString("detail"))};
}

std::string Join(std::string message, const Texts& texts) {
  for (const std::string& text : {texts.title, texts.detail}) {
    if (text.empty() || !IsUtf8(text) || message.find(text) != std::string::npos) continue;
    if (message == "Error") {
      message = text;  // says nothing of its own
    } else {
      absl::StrAppend(&message, message.empty() ? "" : ": ", text);
    }
  }
  return message;
}

}  // namespace

absl::Status WithErrorDetails(const absl::Status& status) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  if (!info) return status;
  for (const connect::ErrorDetail& detail : info->details) {
    if (detail.type != kType) continue;
    std::optional<Texts> texts = FromValue(detail.value);
    if (!texts) texts = FromDebug(detail.debug_json);
    if (texts) return MakeError(status.code(), Join(std::string(status.message()), *texts), *info);
  }
  return status;
}

}  // namespace cursorwire::agent
