#ifndef CURSORWIRE_SRC_JSON_JSON_READER_H_
#define CURSORWIRE_SRC_JSON_JSON_READER_H_

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire {

// How large the JSON of a stranger may be. By default as large as its text.
struct JsonBounds {
  // Lists and objects within each other. Deeper values could overflow the stack of their readers.
  size_t max_depth = std::numeric_limits<size_t>::max();
  // Values within the outermost one: a value takes more memory than its text. An empty list or
  // object counts twice.
  size_t max_values = std::numeric_limits<size_t>::max();
};

// Why a text is refused.
struct JsonFault {
  enum class Kind {
    kTooDeep,
    kTooManyValues,
    kEndsEarly,    // more text could complete it
    kNotJson,      // or not UTF-8
    kLargeNumber,  // beyond the range of a double
  };
  Kind kind = Kind::kNotJson;
  size_t byte = 0;  // kEndsEarly and kNotJson: how many bytes were read until it was noticed

  bool operator==(const JsonFault&) const = default;
};

// Reads a JSON text in UTF-8 into `value`, which a fault leaves as it was. Escapes of lone
// surrogates, which stand for no character, become U+FFFD. Of members with the same name the last
// counts. The bounds are checked before anything is stored.
std::optional<JsonFault> ReadJson(std::string_view text, const JsonBounds& bounds,
                                  nlohmann::json& value);

// The values within the outermost one, as JsonBounds count them; of a text that ReadJson() refuses,
// those as far as it looks.
size_t CountJsonValues(std::string_view text, const JsonBounds& bounds);

// A JSON text of the same length, with \ufffd in place of the escapes of lone surrogates.
std::string WithoutLoneSurrogates(std::string_view text);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_JSON_JSON_READER_H_
