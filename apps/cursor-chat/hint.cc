#include "hint.h"

#include <cursorwire/chat_error.h>
#include <cursorwire/connect/error_info.h>

#include <string>

namespace cursor_chat {
namespace {

using cursorwire::connect::ErrorInfo;

// For an error of the connection, which has many causes: names, networks, certificates, proxies.
constexpr char kConnectionHint[] = "; \"cursor-chat doctor\" says which step fails";

ErrorInfo InfoOf(const absl::Status& status) {
  return cursorwire::connect::GetErrorInfo(status).value_or(ErrorInfo{});
}

bool IsOfConnection(const absl::Status& status) {
  return InfoOf(status).origin == cursorwire::connect::ErrorOrigin::kTransport;
}

std::string HintFor(const absl::Status& status) {
  const bool no_token = status.code() == absl::StatusCode::kUnauthenticated &&
                        InfoOf(status).origin == cursorwire::connect::ErrorOrigin::kLocal;
  if (no_token) return "; --local needs no account";
  if (IsOfConnection(status)) return kConnectionHint;
  switch (cursorwire::RemedyOf(status)) {
    case cursorwire::Remedy::kOtherModel:
      return "; \"cursor-chat models\" lists the models of your account";
    case cursorwire::Remedy::kNewToken:
      return "; \"cursor-chat login\" signs in";
    default:
      return "";
  }
}

absl::Status WithText(const absl::Status& status, const std::string& hint) {
  const std::string message(status.message());
  if (hint.empty() || message.ends_with(hint)) return status;
  absl::Status hinted(status.code(), message + hint);
  if (const auto info = cursorwire::connect::GetErrorInfo(status)) {
    cursorwire::connect::SetErrorInfo(hinted, *info);
  }
  return hinted;
}

}  // namespace

absl::Status WithHint(const absl::Status& status) {
  return status.ok() ? status : WithText(status, HintFor(status));
}

absl::Status WithConnectionHint(const absl::Status& status) {
  return IsOfConnection(status) ? WithText(status, kConnectionHint) : status;
}

}  // namespace cursor_chat
