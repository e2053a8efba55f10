#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_COMMAND_HELP_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_COMMAND_HELP_H_

#include <string>
#include <vector>

#include "command.h"
#include "common/option_info.h"

namespace cursor_chat {

// The part of --help that lists ProgramCommands().
std::string CommandList();

// The help of one command. Of `options`, those that matter to it.
std::string HelpOf(const CommandInfo& command, const std::vector<cursor_apps::OptionInfo>& options);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_COMMAND_HELP_H_
