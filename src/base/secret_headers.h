#ifndef CURSORWIRE_SRC_BASE_SECRET_HEADERS_H_
#define CURSORWIRE_SRC_BASE_SECRET_HEADERS_H_

#include <string>
#include <string_view>
#include <vector>

namespace cursorwire {

// Whether the values of a header are never shown: `authorization`, `proxy-authorization`, `cookie`,
// `set-cookie`, and `x-cursor-*`. `name` is in lower case.
bool IsSecretHeader(std::string_view name);

// Whether a header has the name `pattern`, or begins with it if it ends in `*`. Both in lower case.
bool MatchesHeader(std::string_view pattern, std::string_view name);

// Adds to `secrets` what may be a secret in the value of a header, such as "Bearer TOKEN" or
// "name=VALUE; other=VALUE": all of its words, and all after the first.
void AddSecretWords(std::string_view value, std::vector<std::string>& secrets);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_SECRET_HEADERS_H_
