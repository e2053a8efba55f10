#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMMAND_TABLE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMMAND_TABLE_H_

#include <absl/status/status.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cursor_chat {

struct SessionState;

// What Tab completes after a command.
enum class Completes { kNothing, kModels, kEfforts, kModes, kFiles };

// A command of a terminal session. /help and the completion are made from the same table.
struct SlashCommand {
  const char* name;
  const char* arguments;  // for /help; "" if there are none
  const char* help;
  Completes completes;
  // `argument` is the rest of the line, without spaces around it. An error is shown as that of a
  // turn is.
  absl::Status (*run)(SessionState& state, std::string_view argument);
};

std::span<const SlashCommand> Commands();
// nullptr: there is no such command.
const SlashCommand* FindCommand(std::string_view name);

// A line that is a command: "/", a word of lower-case letters, and an argument. A path such as
// /etc/hosts, or a line that begins with a space, is a prompt. Only /system takes several lines.
// The words "exit" and "quit" alone are the command quit, since nobody asks an agent that.
struct CommandLine {
  std::string_view name{};
  std::string_view argument{};
};
std::optional<CommandLine> ParseCommandLine(std::string_view line);

// Runs a command.
//   kInvalidArgument  there is no such command; the message suggests one
absl::Status RunCommandLine(SessionState& state, const CommandLine& line);

// The text of /help.
std::string CommandHelp();

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMMAND_TABLE_H_
