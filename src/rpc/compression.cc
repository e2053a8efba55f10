#include "rpc/compression.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "base/strings.h"
#include "rpc/limits.h"
#include "wire/gzip.h"

namespace cursorwire::rpc {

std::string_view CompressionName(connect::Compression compression) {
  return compression == connect::Compression::kGzip ? "gzip" : "identity";
}

bool ShouldCompress(size_t size, const connect::CallOptions& options) {
  return options.send_compression == connect::Compression::kGzip &&
         size >= options.compress_min_bytes;
}

absl::StatusOr<connect::Compression> ResponseCompression(const connect::Headers& headers,
                                                         std::string_view name,
                                                         connect::Compression accepted) {
  const std::string encoding = absl::AsciiStrToLower(
      absl::StripAsciiWhitespace(ToAbsl(headers.Get(name).value_or("identity"))));
  if (encoding.empty() || encoding == "identity") return connect::Compression::kIdentity;
  if (encoding == "gzip" && accepted == connect::Compression::kGzip) return accepted;
  return MakeError(absl::StatusCode::kInternal,
                   absl::StrCat("the response is compressed with '",
                                Printable(encoding, kMaxQuotedBytes), "', which was not offered"),
                   {.origin = connect::ErrorOrigin::kProtocol});
}

absl::StatusOr<std::string> Decompress(std::string_view bytes, size_t max_bytes) {
  if (bytes.empty()) return std::string();
  return wire::Gunzip(bytes, max_bytes);
}

}  // namespace cursorwire::rpc
