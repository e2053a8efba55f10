#include "h2/request_headers.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "h2/nghttp2_api.h"

namespace cursorwire::h2 {
namespace {

constexpr size_t kMaxQuotedBytes = 80;

// Fields that HTTP/2 forbids (RFC 9113, 8.2.2), and the length, which is nghttp2's to know.
bool IsForbidden(const connect::Header& header) {
  constexpr std::string_view kForbidden[] = {"connection",       "content-length",    "keep-alive",
                                             "proxy-connection", "transfer-encoding", "upgrade"};
  return std::find(std::begin(kForbidden), std::end(kForbidden), header.name) !=
             std::end(kForbidden) ||
         (header.name == "te" && header.value != "trailers");
}

bool IsValid(const connect::Header& header) {
  if (IsForbidden(header)) return false;
  const auto* name = reinterpret_cast<const uint8_t*>(header.name.data());
  const auto* value = reinterpret_cast<const uint8_t*>(header.value.data());
  if (header.name == ":path") return nghttp2_check_path(value, header.value.size()) != 0;
  if (header.name == ":authority") return nghttp2_check_authority(value, header.value.size()) != 0;
  const bool pseudo = header.name.starts_with(':');
  // RFC 9113, 8.2.1: no white space at either end.
  constexpr std::string_view kWhiteSpace = " \t";
  if (!header.value.empty() && (kWhiteSpace.find(header.value.front()) != std::string_view::npos ||
                                kWhiteSpace.find(header.value.back()) != std::string_view::npos)) {
    return false;
  }
  return (pseudo || nghttp2_check_header_name(name, header.name.size()) != 0) &&
         nghttp2_check_header_value(value, header.value.size()) != 0;
}

}  // namespace

absl::Status CheckRequestHeaders(const connect::Headers& headers) {
  size_t bytes = 0;
  bool behind_pseudo = false;  // which stand in front (RFC 9113, 8.3)
  for (const connect::Header& header : headers) {
    const bool pseudo = header.name.starts_with(':');
    behind_pseudo = behind_pseudo || !pseudo;
    bytes += header.name.size() + header.value.size() + kHeaderOverheadBytes;
    if (bytes > kMaxSentHeaderBytes) {
      return LocalError(absl::StatusCode::kResourceExhausted,
                        absl::StrCat("the request headers are over the limit of ",
                                     kMaxSentHeaderBytes, " bytes"));
    }
    if (IsValid(header) && !(pseudo && behind_pseudo)) continue;
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("request header '", Printable(header.name, kMaxQuotedBytes),
                                   "' has a name or value that HTTP does not allow"));
  }
  return absl::OkStatus();
}

}  // namespace cursorwire::h2
