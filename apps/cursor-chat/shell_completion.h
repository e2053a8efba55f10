#ifndef CURSORWIRE_APPS_CURSOR_CHAT_SHELL_COMPLETION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_SHELL_COMPLETION_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "option_info.h"

namespace cursor_chat {

inline constexpr const char* kShells[] = {"bash", "zsh", "fish"};

// The script with which that shell completes the command line; `shell` is one of kShells.
std::string CompletionScript(std::string_view shell, const std::vector<OptionInfo>& options);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_SHELL_COMPLETION_H_
