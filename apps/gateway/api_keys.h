#ifndef CURSORWIRE_APPS_GATEWAY_API_KEYS_H_
#define CURSORWIRE_APPS_GATEWAY_API_KEYS_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/http_message.h"

namespace cursor_gateway {

// The keys that clients of the gateway must have. A value.
class ApiKeys {
 public:
  ApiKeys() = default;  // none: everybody may ask

  // One key a line; empty lines and those that begin with '#' are skipped.
  //   kInvalidArgument  the file cannot be read, has no key, or is over kMaxKeyFileBytes
  static absl::StatusOr<ApiKeys> Load(const std::string& file);
  // One key, which is made at the start.
  static ApiKeys Of(const std::string& key);
  // Whether others than its owner may read the file.
  static bool IsReadByOthers(const std::string& file);

  bool empty() const { return digests_.empty(); }

  // Who asks, by the header `Authorization`, else by `x-api-key`, which clients may send with
  // another value: a name that differs for each key and does not tell it. nullopt: neither has one
  // of the keys. Without keys, everybody has the same name. How long it takes does not depend on
  // the keys.
  std::optional<std::string> OwnerOf(const HttpHead& head) const;

 private:
  std::optional<std::string> OwnerOfKey(std::string_view key) const;

  std::vector<std::string> digests_;  // so that all are of one length
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_KEYS_H_
