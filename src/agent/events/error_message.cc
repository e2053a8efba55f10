#include "agent/events/error_message.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/events/cursor_error.h"
#include "agent/events/remedy.h"
#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

std::string Join(std::string message, const CursorError& details) {
  for (const std::string& text : {details.title, details.detail}) {
    if (text.empty() || !IsUtf8(text) || message.find(text) != std::string::npos) continue;
    if (message == "Error") {
      message = text;  // "Error" alone says nothing
    } else {
      absl::StrAppend(&message, message.empty() ? "" : ": ", text);
    }
  }
  return message;
}

std::string WithHint(std::string message, std::string_view hint) {
  if (hint.empty()) return message;
  if (message.empty()) return std::string(hint);
  return absl::StrCat(message, " (", ToAbsl(hint), ")");
}

}  // namespace

absl::Status WithErrorDetails(const absl::Status& status) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  if (!info) return status;
  std::string message(status.message());
  if (const auto details = FindCursorError(*info)) message = Join(std::move(message), *details);
  const std::string_view hint = HintOf(status.code(), message, *info);
  return MakeError(status.code(), WithHint(std::move(message), hint), *info);
}

}  // namespace cursorwire::agent
