#include "rpc/content_type.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "base/strings.h"
#include "rpc/timeout.h"

namespace cursorwire::rpc {
namespace {

constexpr size_t kMaxQuotedBytes = 100;

// The type without parameters, in lower case.
std::string MediaType(std::string_view value) {
  return absl::AsciiStrToLower(
      absl::StripAsciiWhitespace(ToAbsl(value.substr(0, value.find(';')))));
}

absl::Status BadResponse(absl::StatusCode code, std::string_view message) {
  return MakeError(code, message, {.origin = connect::ErrorOrigin::kProtocol, .http_status = 200});
}

}  // namespace

std::string ContentType(connect::CallKind kind, connect::Codec codec) {
  return absl::StrCat("application/", kind == connect::CallKind::kStreaming ? "connect+" : "",
                      codec == connect::Codec::kProto ? "proto" : "json");
}

absl::Status CheckResponseHeaders(const connect::Headers& headers, connect::CallKind kind,
                                  connect::Codec codec, std::string_view encoding_header) {
  const std::string type = MediaType(headers.Get("content-type").value_or(""));
  if (type != ContentType(kind, codec)) {
    const bool connect_type = type == ContentType(kind, connect::Codec::kProto) ||
                              type == ContentType(kind, connect::Codec::kJson);
    return BadResponse(
        connect_type ? absl::StatusCode::kInternal : absl::StatusCode::kUnknown,
        absl::StrCat("the response has content type '", Printable(type, kMaxQuotedBytes),
                     "' instead of '", ContentType(kind, codec), "'"));
  }
  const std::string encoding = MediaType(headers.Get(encoding_header).value_or("identity"));
  if (!encoding.empty() && encoding != "identity") {
    return BadResponse(
        absl::StatusCode::kInternal,
        absl::StrCat("the response is compressed with '", Printable(encoding, kMaxQuotedBytes),
                     "', which was not offered"));
  }
  return absl::OkStatus();
}

connect::Headers ProtocolHeaders(connect::CallKind kind, const connect::CallOptions& options) {
  connect::Headers headers = {{"content-type", ContentType(kind, options.codec)},
                              {"connect-protocol-version", "1"}};
  if (options.timeout.count() > 0 && options.announce_timeout == connect::AnnounceTimeout::kYes) {
    headers.Add("connect-timeout-ms", TimeoutHeader(options.timeout));
  }
  return headers;
}

}  // namespace cursorwire::rpc
