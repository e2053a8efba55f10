#include "rpc/get_query.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "rpc/compression.h"

namespace cursorwire::rpc {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// RFC 3986, 2.1.
std::string PercentEncoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

}  // namespace

std::string GetQuery(std::string_view message, connect::Codec codec,
                     connect::Compression compression) {
  const bool is_compressed = compression != connect::Compression::kIdentity;
  const bool is_json = codec == connect::Codec::kJson;
  const bool is_text = is_json && !is_compressed;
  // The order that the protocol recommends, for the sake of caches.
  std::string query = "?connect=v1";
  if (!is_text) query += "&base64=1";
  if (is_compressed) absl::StrAppend(&query, "&compression=", ToAbsl(CompressionName(compression)));
  // WebSafeBase64Escape() writes no padding.
  absl::StrAppend(&query, "&encoding=", is_json ? "json" : "proto", "&message=",
                  is_text ? PercentEncoded(message) : absl::WebSafeBase64Escape(ToAbsl(message)));
  return query;
}

}  // namespace cursorwire::rpc
