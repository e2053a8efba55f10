#include "rpc/http_status.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::rpc {
namespace {

// RFC 9113, section 7.
struct ResetCode {
  uint32_t http2_code;
  const char* name;
  absl::StatusCode code;
};
constexpr ResetCode kResetCodes[] = {
    {0x0, "NO_ERROR", absl::StatusCode::kInternal},
    {0x1, "PROTOCOL_ERROR", absl::StatusCode::kInternal},
    {0x2, "INTERNAL_ERROR", absl::StatusCode::kInternal},
    {0x3, "FLOW_CONTROL_ERROR", absl::StatusCode::kInternal},
    {0x4, "SETTINGS_TIMEOUT", absl::StatusCode::kInternal},
    {0x5, "STREAM_CLOSED", absl::StatusCode::kInternal},
    {0x6, "FRAME_SIZE_ERROR", absl::StatusCode::kInternal},
    {0x7, "REFUSED_STREAM", absl::StatusCode::kUnavailable},
    {0x8, "CANCEL", absl::StatusCode::kCancelled},
    {0x9, "COMPRESSION_ERROR", absl::StatusCode::kInternal},
    {0xa, "CONNECT_ERROR", absl::StatusCode::kInternal},
    {0xb, "ENHANCE_YOUR_CALM", absl::StatusCode::kResourceExhausted},
    {0xc, "INADEQUATE_SECURITY", absl::StatusCode::kPermissionDenied},
    {0xd, "HTTP_1_1_REQUIRED", absl::StatusCode::kInternal},
};
constexpr uint32_t kRefusedStream = 0x7;

}  // namespace

absl::StatusCode CodeFromHttpStatus(int http_status) {
  switch (http_status) {
    case 400:
      return absl::StatusCode::kInternal;
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kUnimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kUnknown;
  }
}

int HttpStatus(const connect::Headers& headers) {
  int status = 0;
  const auto text = headers.Get(":status");
  if (!text || !absl::SimpleAtoi(ToAbsl(*text), &status)) return 0;
  return status;
}

absl::Status StatusFromReset(uint32_t http2_code) {
  absl::StatusCode code = absl::StatusCode::kInternal;
  std::string name = absl::StrCat("error code ", http2_code);
  for (const ResetCode& known : kResetCodes) {
    if (known.http2_code != http2_code) continue;
    code = known.code;
    name = known.name;
  }
  return MakeError(code, absl::StrCat("the server reset the stream: ", name),
                   {.origin = connect::ErrorOrigin::kTransport,
                    .replay_safe = http2_code == kRefusedStream,
                    .http2_code = http2_code});
}

}  // namespace cursorwire::rpc
