#ifndef CURSORWIRE_APPS_H2_BRIDGE_TEXT_H_
#define CURSORWIRE_APPS_H2_BRIDGE_TEXT_H_

#include <string>
#include <string_view>

namespace h2_bridge {

// ASCII letters in lower case.
std::string Lower(std::string_view text);

// Without the space around it.
std::string_view Trim(std::string_view text);

// "%20" becomes a space. A '%' without two hexadecimal digits stays as it is.
std::string PercentDecode(std::string_view text);

// On one line: control characters become spaces.
std::string OneLine(std::string_view text);

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_TEXT_H_
