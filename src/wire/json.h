#ifndef CURSORWIRE_SRC_WIRE_JSON_H_
#define CURSORWIRE_SRC_WIRE_JSON_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cursorwire::wire {

// One JSON value (RFC 8259), as used in errors and end-stream messages of the Connect protocol. The
// layers of the Connect client do not depend on a JSON library. They need only this: to parse small
// untrusted texts within limits, and to write strings. A value; thread-compatible.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  // for kString: decoded UTF-8; for kNumber: as written
  std::vector<Json> items;
  struct Member;
  std::vector<Member> members;  // in order; names may repeat

  bool is_string() const { return kind == Kind::kString; }
  bool is_object() const { return kind == Kind::kObject; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_null() const { return kind == Kind::kNull; }

  // The last member with that name; nullptr if it is absent or this is not an object.
  const Json* Find(std::string_view name) const;
  // The text of the member with that name if it is a string, else "".
  std::string_view FindString(std::string_view name) const;
};

struct Json::Member {
  std::string name;
  Json value;
};

constexpr int kMaxJsonDepth = 64;
// Each value takes about 100 bytes of memory.
constexpr size_t kMaxJsonValues = 65'536;

// Parses one JSON text. A lone surrogate escape becomes U+FFFD.
//   kInternal  not JSON, invalid UTF-8, nested deeper than kMaxJsonDepth, or more than
//              kMaxJsonValues values; the message gives the position and never quotes the text
absl::StatusOr<Json> ParseJson(std::string_view text);

// `value` as compact JSON text.
std::string WriteJson(const Json& value);

// Appends `text` in quotes. Bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace cursorwire::wire

#endif  // CURSORWIRE_SRC_WIRE_JSON_H_
