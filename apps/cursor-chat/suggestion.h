#ifndef CURSORWIRE_APPS_CURSOR_CHAT_SUGGESTION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_SUGGESTION_H_

#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat {

// The most likely meant one of `known`: it begins with `word`, or differs in one or two letters. ""
// if none is similar.
std::string Suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_SUGGESTION_H_
