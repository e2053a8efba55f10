#ifndef CURSORWIRE_APPS_CURSOR_CHAT_HINT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_HINT_H_

#include <absl/status/status.h>

namespace cursor_chat {

// Adds to some messages what a user of this program can do. The library does not know about that.
// One that has its hint already stays as it is.
absl::Status WithHint(const absl::Status& status);
// The same for errors of the connection alone.
absl::Status WithConnectionHint(const absl::Status& status);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_HINT_H_
