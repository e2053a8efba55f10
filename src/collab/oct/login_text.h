#ifndef CURSORWIRE_SRC_COLLAB_OCT_LOGIN_TEXT_H_
#define CURSORWIRE_SRC_COLLAB_OCT_LOGIN_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cursorwire/connect/redactor.h"

namespace cursorwire::oct {

// Characters of a server's text that are shown. The rest is cut off.
constexpr size_t kMaxLoginTextCharacters = 500;
// Bytes of it that are looked at, invisible ones included.
constexpr size_t kMaxLoginTextBytes = size_t{4} * 1024;

// A server's text on one line, as UTF-8: without what no reader sees, without the secrets, and cut
// to kMaxLoginTextCharacters.
std::string LoginText(std::string_view text, const connect::Redactor& redactor);

// `message (code)` of what the server says in JSON.
std::string LoginInfoText(const nlohmann::json& info, const connect::Redactor& redactor);

// What the body of an error says: LoginInfoText() of its JSON, else its text. Empty: nothing that
// could be shown, such as a page of HTML.
std::string LoginErrorText(std::string_view body, const connect::Redactor& redactor);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_LOGIN_TEXT_H_
