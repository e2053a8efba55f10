#include "rpc/error_json.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "rpc/http_status.h"

namespace cursorwire::rpc {
namespace {

using connect::ErrorDetail;
using connect::ErrorInfo;
using connect::ErrorOrigin;

// Enough for a page of text, since people read the message.
constexpr size_t kMaxMessageBytes = size_t{8} * 1024;
constexpr size_t kMaxBodyExcerptBytes = 200;
constexpr size_t kMaxLocationBytes = 200;
constexpr size_t kMaxDetails = 64;

void AddDetail(const wire::Json& json, ErrorInfo& info) {
  if (!json.is_object() || info.details.size() == kMaxDetails) return;
  ErrorDetail detail{.type = std::string(json.FindString("type")), .value = {}, .debug_json = {}};
  if (detail.type.empty()) return;
  const wire::Json* value = json.Find("value");
  // Standard base64, with or without padding.
  const bool decoded =
      value != nullptr && value->is_string() && absl::Base64Unescape(value->text, &detail.value);
  if (!decoded) detail.value.clear();
  if (const wire::Json* debug = json.Find("debug")) detail.debug_json = wire::WriteJson(*debug);
  // The debug form has the same content, and replaces a value that does not decode.
  if (!decoded && detail.debug_json.empty()) return;
  info.details.push_back(std::move(detail));
}

bool IsRedirect(int http_status) { return http_status >= 300 && http_status < 400; }

}  // namespace

absl::Status StatusFromErrorJson(const wire::Json& error, absl::StatusCode default_code,
                                 int http_status) {
  ErrorInfo info{.origin = ErrorOrigin::kServer, .http_status = http_status};
  absl::StatusCode code = default_code;
  if (const auto known = connect::CodeFromText(error.FindString("code"))) {
    code = *known;
  } else {
    info.unknown_code = Printable(error.FindString("code"), kMaxBodyExcerptBytes);
  }
  if (const wire::Json* details = error.Find("details")) {
    for (const wire::Json& detail : details->items) AddDetail(detail, info);
  }
  const std::string_view message = Utf8Prefix(error.FindString("message"), kMaxMessageBytes);
  return MakeError(code, message, info);
}

absl::Status StatusFromErrorBody(std::string_view body, int http_status,
                                 std::string_view location) {
  const absl::StatusCode code = CodeFromHttpStatus(http_status);
  const absl::StatusOr<wire::Json> json = wire::ParseJson(body);
  const bool is_connect_error = json.ok() && json->is_object() &&
                                (json->Find("code") != nullptr || json->Find("message") != nullptr);
  if (is_connect_error) {
    return StatusFromErrorJson(*json, code, http_status);
  }
  std::string message = absl::StrCat("HTTP status ", http_status);
  if (IsRedirect(http_status) && !location.empty()) {
    absl::StrAppend(&message, ", which leads to ",
                    Printable(location.substr(0, location.find_first_of("?#")), kMaxLocationBytes));
  }
  if (!body.empty()) absl::StrAppend(&message, ": ", Printable(body, kMaxBodyExcerptBytes));
  return MakeError(code, message, {.origin = ErrorOrigin::kServer, .http_status = http_status});
}

}  // namespace cursorwire::rpc
