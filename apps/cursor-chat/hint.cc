#include "hint.h"

#include <cursorwire/connect/error_info.h>
#include <cursorwire/remedy.h>

#include <string>

namespace cursor_chat {
namespace {

using cursorwire::connect::ErrorInfo;

std::string HintFor(const absl::Status& status) {
  const auto info = cursorwire::connect::GetErrorInfo(status).value_or(ErrorInfo{});
  const bool no_token = status.code() == absl::StatusCode::kUnauthenticated &&
                        info.origin == cursorwire::connect::ErrorOrigin::kLocal;
  if (no_token) return "; --local needs no account";
  if (cursorwire::RemedyOf(status) == cursorwire::Remedy::kOtherModel) {
    return "; \"cursor-chat models\" lists the models of your account";
  }
  return "";
}

}  // namespace

absl::Status WithHint(const absl::Status& status) {
  const std::string hint = HintFor(status);
  if (hint.empty()) return status;
  absl::Status hinted(status.code(), std::string(status.message()) + hint);
  if (const auto info = cursorwire::connect::GetErrorInfo(status)) {
    cursorwire::connect::SetErrorInfo(hinted, *info);
  }
  return hinted;
}

}  // namespace cursor_chat
