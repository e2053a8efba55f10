#include "rpc/get_query.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "base/text.h"
#include "rpc/compression.h"

namespace cursorwire::rpc {
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
                  is_text ? PercentEncode(message) : absl::WebSafeBase64Escape(ToAbsl(message)));
  return query;
}

}  // namespace cursorwire::rpc
