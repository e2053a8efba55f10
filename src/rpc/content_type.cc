#include "rpc/content_type.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "base/strings.h"
#include "rpc/limits.h"

namespace cursorwire::rpc {
namespace {

// The media type without parameters, in lower case.
std::string MediaType(std::string_view value) {
  return absl::AsciiStrToLower(
      absl::StripAsciiWhitespace(ToAbsl(value.substr(0, value.find(';')))));
}

}  // namespace

std::string ContentType(connect::CallKind kind, connect::Codec codec) {
  return absl::StrCat("application/", kind == connect::CallKind::kStreaming ? "connect+" : "",
                      codec == connect::Codec::kProto ? "proto" : "json");
}

absl::Status CheckContentType(const connect::Headers& headers, connect::CallKind kind,
                              connect::Codec codec) {
  const std::string type = MediaType(headers.Get("content-type").value_or(""));
  if (type == ContentType(kind, codec)) return absl::OkStatus();
  const bool connect_type = type == ContentType(kind, connect::Codec::kProto) ||
                            type == ContentType(kind, connect::Codec::kJson);
  return MakeError(connect_type ? absl::StatusCode::kInternal : absl::StatusCode::kUnknown,
                   absl::StrCat("the response has content type '", Printable(type, kMaxQuotedBytes),
                                "' instead of '", ContentType(kind, codec), "'"),
                   {.origin = connect::ErrorOrigin::kProtocol, .http_status = 200});
}

}  // namespace cursorwire::rpc
