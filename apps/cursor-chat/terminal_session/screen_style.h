#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SCREEN_STYLE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SCREEN_STYLE_H_

#include <string>
#include <string_view>

namespace cursor_chat {

// Whether the system's database of terminals has an entry of that name; true where there is no
// such database. Source: terminfo(5), fetching compiled descriptions.
bool IsKnownTerminal(std::string_view name);

// How a session writes to its terminal. A value.
struct ScreenStyle {
  // Colours, a line that moves, and an answer that is rendered. False with --plain, NO_COLOR, or
  // where it is dumb.
  bool decorated = true;
  bool unicode = true;  // the locale has more than ASCII
  // The terminal knows no escape sequences: TERM=dumb, or one that is not known.
  bool dumb = false;
  // The terminal is one that wraps the lines on its screen anew when it gets another width. False
  // if nobody knows.
  bool rewraps = false;
};

// The style for this process. `plain` is --plain. The locale must be set.
ScreenStyle StyleOfProcess(bool plain);

// Text in a colour such as "31", or unchanged where there are none. The text must be visible.
std::string Painted(const ScreenStyle& style, std::string_view color, std::string_view text);

inline constexpr char kRed[] = "31";
inline constexpr char kGreen[] = "32";
inline constexpr char kCyan[] = "36";
inline constexpr char kDim[] = "2";

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SCREEN_STYLE_H_
