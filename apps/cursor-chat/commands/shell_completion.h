#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_SHELL_COMPLETION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_SHELL_COMPLETION_H_

#include <string>
#include <vector>

#include "common/option_info.h"

namespace cursor_chat {

// The script with which that shell completes the command line: the options, ProgramCommands(), and
// what follows each.
std::string BashCompletion(const std::vector<cursor_apps::OptionInfo>& options);
std::string ZshCompletion(const std::vector<cursor_apps::OptionInfo>& options);
std::string FishCompletion(const std::vector<cursor_apps::OptionInfo>& options);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_SHELL_COMPLETION_H_
