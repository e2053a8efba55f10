#ifndef CURSORWIRE_SRC_WIRE_JSON_H_
#define CURSORWIRE_SRC_WIRE_JSON_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cursorwire::wire {

// One JSON value (RFC 8259), as errors and end-stream messages of the Connect protocol carry it.
// The layers of the Connect client have no JSON library among their packages, and need only this:
// read small untrusted texts within bounds, and write strings. A value; thread-compatible.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  // of kString, decoded UTF-8; of kNumber, as it was written
  std::vector<Json> items;
  struct Member;
  std::vector<Member> members;  // in order; names may repeat

  bool is_string() const { return kind == Kind::kString; }
  bool is_object() const { return kind == Kind::kObject; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_null() const { return kind == Kind::kNull; }

  // The last member of that name; nullptr if there is none or this is no object.
  const Json* Find(std::string_view name) const;
  // The text of the string member of that name, else "".
  std::string_view FindString(std::string_view name) const;
};

struct Json::Member {
  std::string name;
  Json value;
};

constexpr int kMaxJsonDepth = 64;
// Each value takes about a hundred bytes.
constexpr size_t kMaxJsonValues = 65'536;

// Parses one JSON text. A lone surrogate escape becomes U+FFFD.
//   kInternal  not JSON, invalid UTF-8, or nested deeper than kMaxJsonDepth, or more than
//              kMaxJsonValues values; the message names the byte and never quotes the text
absl::StatusOr<Json> ParseJson(std::string_view text);

// `value` as compact JSON text.
std::string WriteJson(const Json& value);

// Appends `text` with its quotes. Bytes that are no UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace cursorwire::wire

#endif  // CURSORWIRE_SRC_WIRE_JSON_H_
