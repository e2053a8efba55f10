#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_H_

#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat {

// What the program does.
enum class Command {
  kChat,
  kAcp,
  kBashCompletion,
  kZshCompletion,
  kFishCompletion,
  kDoctor,
  kHelp,
  kLogin,
  kLogout,
  kMcpList,
  kMcpTest,
  kModels,
  kSessions,
  kSessionsRemove,
  kTraceShow,
  kTraceToScript,
  kUsage,
  kWhoami
};

// How many arguments follow the words of a command.
enum class ArgumentCount { kNone, kOptional, kOne, kAtLeastOne, kAny };

// What an argument is, for the completion of shells.
enum class ArgumentKind { kText, kFile, kFolder, kCommand };

// One way to go on after the word of a command. A value.
struct CommandForm {
  Command command;
  std::string_view word{};      // the second word, such as "list"; "": there is none
  std::string_view argument{};  // its name, such as "FILE"; "": nothing follows
  ArgumentCount count = ArgumentCount::kNone;
  ArgumentKind kind = ArgumentKind::kText;
  std::string_view meaning{};  // for the error if it is missing: "the FILE of servers"

  // As --help shows it: "list FILE", "[DIR]", "".
  std::string text() const;
};

// The formats of output that a command has.
enum class CommandFormats { kText, kTextAndJson, kAll };

// A command of the command line. A value.
struct CommandInfo {
  std::string_view word;  // the first word of the command line
  std::span<const CommandForm> forms;
  std::string_view summary;  // one line
  std::string_view details;  // lines; indented ones are examples
  std::string_view options;  // the names of those that matter to it, with spaces between them
  CommandFormats formats = CommandFormats::kTextAndJson;
  bool needs_account = false;  // --local has none
};

// All, by their words. Recognition, help, completion and man page are made from this table alone.
std::span<const CommandInfo> ProgramCommands();
// nullptr: there is no such command.
const CommandInfo* FindProgramCommand(std::string_view word);
// For a prompt of this one word: the command that it nearly is; nullptr: it is like none.
const CommandInfo* FindSimilarCommand(std::string_view word);

// What the words of a command line ask for.
struct CommandCall {
  const CommandInfo* info = nullptr;  // nullptr: the words are a prompt
  Command command = Command::kChat;
  std::vector<std::string> arguments{};  // what follows the words of the command; or the prompt
};

// The first word decides: if it is that of a command, the words are no prompt.
//   kInvalidArgument  something else must follow the command; the message says what
absl::StatusOr<CommandCall> ParseCommand(const std::vector<std::string>& words);

// The command that "help WORD" names; nullptr for "help" alone.
//   kInvalidArgument  there is no such command
absl::StatusOr<const CommandInfo*> CommandToExplain(const std::vector<std::string>& arguments);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_H_
