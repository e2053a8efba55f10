#ifndef CURSORWIRE_SRC_BASE_TOKEN_VARIABLES_H_
#define CURSORWIRE_SRC_BASE_TOKEN_VARIABLES_H_

#include <algorithm>
#include <iterator>
#include <string_view>

namespace cursorwire {

// Environment variables with which another program could act as the user. Source:
// docs/credentials.md.
inline constexpr std::string_view kTokenVariables[] = {"CURSOR_ACCESS_TOKEN", "CURSOR_AUTH_TOKEN",
                                                       "CURSOR_API_KEY"};

inline bool IsTokenVariable(std::string_view name) {
  return std::find(std::begin(kTokenVariables), std::end(kTokenVariables), name) !=
         std::end(kTokenVariables);
}

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_TOKEN_VARIABLES_H_
