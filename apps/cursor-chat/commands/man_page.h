#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MAN_PAGE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MAN_PAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "common/option_info.h"

namespace cursor_chat {

// A man page in the language of man(7), with ProgramCommands(). `description` is one line; `footer`
// is text whose indented lines are examples.
std::string ManPage(std::string_view version, std::string_view description,
                    const std::vector<cursor_apps::OptionInfo>& options, std::string_view footer);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MAN_PAGE_H_
