#ifndef CURSORWIRE_APPS_COMMON_JSON_LINE_H_
#define CURSORWIRE_APPS_COMMON_JSON_LINE_H_

#include <string>

#include "base/strings.h"

namespace cursor_apps {

// A value of nlohmann::json or ordered_json as JSON on one line, without its end, which
// EscapeLineSeparators() keeps one line for common readers. Bytes that are not UTF-8 become U+FFFD.
template <typename Value>
std::string JsonLine(const Value& value) {
  return cursorwire::EscapeLineSeparators(
      value.dump(-1, ' ', false, Value::error_handler_t::replace));
}

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_JSON_LINE_H_
