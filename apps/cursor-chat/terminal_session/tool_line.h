#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TOOL_LINE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TOOL_LINE_H_

#include <cursorwire/chat.h>

#include <cstddef>
#include <string>

#include "terminal_session/screen_style.h"

namespace cursor_chat {

// Lines of a diff that are shown; the rest is counted.
inline constexpr size_t kMaxDiffLines = 40;
// Of the arguments of a tool that has no short form.
inline constexpr size_t kMaxToolArgumentBytes = 2048;

// What the tool is, and what it is used on, such as "read src/main.cc" or "shell make test": text
// of the agent, which may hold any bytes.
std::string ToolText(const cursorwire::ToolCallInfo& call);

// The line for a call that has ended, with a mark that says whether it worked, and the lines of its
// diff if it is an edit. Each ends with a newline, fits `columns`, and is visible text.
std::string ToolLines(const cursorwire::ToolCallInfo& call, size_t columns,
                      const ScreenStyle& style);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TOOL_LINE_H_
