#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_WIDE_TEXT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_WIDE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace cursor_chat {

// UTF-8 and the wide characters of the line editor, which are Unicode in every locale. These
// functions do not depend on the locale, unlike those of the C library.

// The first character of `bytes`, which must not be empty, and how many bytes it has. 0 bytes: the
// character is incomplete. A byte that begins no character is U+FFFD.
struct WideCharacter {
  wchar_t character = 0;
  size_t bytes = 0;
};
WideCharacter FirstCharacter(std::string_view bytes);

std::wstring ToWide(std::string_view text);
std::string ToUtf8(std::wstring_view text);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_WIDE_TEXT_H_
