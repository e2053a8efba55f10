#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_JSON_FIELDS_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_JSON_FIELDS_H_

#include <absl/status/status.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace cursorwire::upstream {

// Reads the members of one JSON object strictly. Remembers for Finish() the first member that is
// wrong, or one that nobody asked for. Error messages begin with `where`. `json` must outlive it.
// Thread-compatible.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& json, std::string where);

  // nullptr: the member is absent.
  const nlohmann::json* Find(std::string_view name);
  bool Has(std::string_view name) const;
  std::string String(std::string_view name, std::string_view otherwise);
  std::string RequiredString(std::string_view name);
  std::optional<bool> Bool(std::string_view name);
  std::optional<int64_t> Integer(std::string_view name, int64_t min, int64_t max);
  // The value of the member "text", "hex" or "base64"; nullopt if all of them are absent.
  std::optional<std::string> Bytes();
  std::string RequiredBytes();

  void Fail(std::string_view what);
  std::string Where(std::string_view name) const;
  // Call after asking for the last member.
  //   kInvalidArgument
  absl::Status Finish() const;

 private:
  void FailAt(std::string_view name, std::string_view what);

  const nlohmann::json& json_;
  const std::string where_;
  std::set<std::string, std::less<>> known_;
  absl::Status error_;
};

constexpr int64_t kMaxInteger = std::numeric_limits<int32_t>::max();

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_JSON_FIELDS_H_
