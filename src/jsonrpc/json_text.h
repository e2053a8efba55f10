#ifndef CURSORWIRE_SRC_JSONRPC_JSON_TEXT_H_
#define CURSORWIRE_SRC_JSONRPC_JSON_TEXT_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cursorwire::jsonrpc {

using Json = nlohmann::json;

// What JSON of a peer may be nested in. Deeper values could overflow the stack of their readers.
inline constexpr int kMaxDepth = 128;
// How many values it may have: a value takes more memory than its text.
inline constexpr size_t kMaxValues = size_t{4} * 1024 * 1024;

// What becomes of values that are nested deeper than kMaxDepth.
enum class DeepValues {
  kRefuse,  // the whole text is refused
  kCut,     // each outermost one becomes the text kDeepValue
};
inline constexpr const char* kDeepValue = "[nested too deep: left out]";

// Parses JSON of a peer. Escapes of lone surrogates, which stand for no character, become U+FFFD.
//   kInvalidArgument    not JSON, or not UTF-8
//   kResourceExhausted  nested deeper than kMaxDepth, unless that is cut, or of more than
//   kMaxValues
absl::StatusOr<Json> ParseJsonText(std::string_view text, DeepValues deep = DeepValues::kRefuse);

// One line; bytes that are not UTF-8 become U+FFFD.
std::string WriteJsonText(const Json& value);

}  // namespace cursorwire::jsonrpc

#endif  // CURSORWIRE_SRC_JSONRPC_JSON_TEXT_H_
