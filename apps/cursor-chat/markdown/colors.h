#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_COLORS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_COLORS_H_

namespace cursor_chat {

// kNone: bullets, indents and tables, without escape sequences for colours.
enum class Colors { kNone, kAnsi };

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_COLORS_H_
