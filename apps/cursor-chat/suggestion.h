#ifndef CURSORWIRE_APPS_CURSOR_CHAT_SUGGESTION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_SUGGESTION_H_

#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat {

// The one of `known` that was most likely meant: it begins with `word`, or differs in a letter or
// two. "" if there is none.
std::string Suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_SUGGESTION_H_
