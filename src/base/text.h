#ifndef CURSORWIRE_SRC_BASE_TEXT_H_
#define CURSORWIRE_SRC_BASE_TEXT_H_

#include <string>
#include <string_view>

namespace cursorwire {

// Without the ASCII space around it.
std::string_view Trim(std::string_view text);

// "%20" becomes a space (RFC 3986, 2.1). A '%' without two hexadecimal digits stays as it is.
std::string PercentDecode(std::string_view text);

// What is not unreserved (RFC 3986, 2.3) as "%20".
std::string PercentEncode(std::string_view text);

// On one line: each control character of ASCII becomes a space.
std::string OneLine(std::string_view text);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_TEXT_H_
