#ifndef CURSORWIRE_APPS_COMMON_JSON_LINE_H_
#define CURSORWIRE_APPS_COMMON_JSON_LINE_H_

#include <absl/strings/str_replace.h>

#include <string>

namespace cursor_apps {

// A value of nlohmann::json or ordered_json as JSON on one line, without its end. U+2028, U+2029
// and U+0085 are escaped: they may stand in JSON as they are, but common readers of lines, such as
// Python's splitlines() and Node's readline, take them for line ends. Bytes that are not UTF-8
// become U+FFFD.
template <typename Value>
std::string JsonLine(const Value& value) {
  std::string text = value.dump(-1, ' ', false, Value::error_handler_t::replace);
  absl::StrReplaceAll(
      {{"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}, {"\xC2\x85", "\\u0085"}}, &text);
  return text;
}

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_JSON_LINE_H_
