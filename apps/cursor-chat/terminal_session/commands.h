#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMMANDS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMMANDS_H_

#include <absl/status/status.h>

#include <string_view>

namespace cursor_chat {

struct SessionState;

// The functions of the command table.
absl::Status ShowHelp(SessionState& state, std::string_view argument);
absl::Status ChangeModel(SessionState& state, std::string_view argument);
absl::Status ChangeMode(SessionState& state, std::string_view argument);
absl::Status ChangeEffort(SessionState& state, std::string_view argument);
absl::Status ChangeSystem(SessionState& state, std::string_view argument);
absl::Status AddImage(SessionState& state, std::string_view argument);
absl::Status TakeBack(SessionState& state, std::string_view argument);
absl::Status BeginAnew(SessionState& state, std::string_view argument);
absl::Status Resume(SessionState& state, std::string_view argument);
absl::Status Save(SessionState& state, std::string_view argument);
absl::Status ShowUsage(SessionState& state, std::string_view argument);
absl::Status Quit(SessionState& state, std::string_view argument);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMMANDS_H_
