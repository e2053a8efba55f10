// Room: src/commands
#ifndef CURSORWIRE_COMMAND_TOOLS_H_
#define CURSORWIRE_COMMAND_TOOLS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"
#include "cursorwire/tools.h"

namespace cursorwire {

// A tool that runs a command of the user's. A value.
struct CommandTool {
  ToolDefinition definition{};
  // The program and its arguments; must not be empty. The program is looked for in PATH unless its
  // name has a slash; entries of PATH that are empty or relative are passed by. No shell is
  // involved.
  std::vector<std::string> command{};
  // It runs in the sandbox (docs/sandbox.md), whose workspace is the current folder: it may change
  // that and a /tmp of its own, and has no network. What it left behind ends with it. Where there
  // is no sandbox, a call is an error.
  bool sandboxed = false;
};

// Reads a JSON list of such tools: docs/agent.md, tools of cursor-chat.
//   kInvalidArgument  the text is no such list. The message names the entry and the field, and says
//                     what to write.
CURSORWIRE_EXPORT absl::StatusOr<std::vector<CommandTool>> ParseCommandTools(std::string_view text);

// Where the standard error of a command goes: to that of this process, or to /dev/null.
enum class CommandErrors { kOurs, kDropped };

struct CommandToolOptions {
  CommandErrors errors = CommandErrors::kOurs;
  // Asked before each call, on its thread. An error refuses the call, and the model is told its
  // message. Empty: each call is made.
  std::function<absl::Status(const ToolCall& call)> policy{};
};

// Runs commands as tools:
//
//   absl::StatusOr<std::vector<CommandTool>> tools = ParseCommandTools(text);
//   CommandTools commands;
//   commands.AddTo(request.tools, *tools);
//
// A command gets the arguments of the call on its standard input. Its standard output is the
// result, which is an error unless its exit code is 0. It runs in a session of its own, so without
// a terminal, in the current folder of this process, with its environment but without the tokens of
// Cursor (CURSOR_ACCESS_TOKEN, CURSOR_AUTH_TOKEN, CURSOR_API_KEY), and has none of its descriptors
// but the standard streams. What a command left behind when it ended goes on, and may add output
// for 200 ms. When ToolCall::stop is requested, the command is killed with all that it has started.
//
// A value: copies run the same commands. Thread-safe. It reads the environment when it is made.
class CURSORWIRE_EXPORT CommandTools {
 public:
  CommandTools();

  // Offers them in `registry`, which may outlive this object. What is wrong with a definition shows
  // in the registry's status().
  void AddTo(ToolRegistry& registry, const std::vector<CommandTool>& tools,
             const CommandToolOptions& options = {}) const;

  // Kills the commands that run, of all copies, with all that they have started, also what left
  // their sessions. Calls that are made later are refused. Takes milliseconds.
  void Kill() const;

 private:
  class CURSORWIRE_HIDDEN Impl;
  std::shared_ptr<Impl> impl_;  // shared by the copies, and by the handlers in registries
};

}  // namespace cursorwire

#endif  // CURSORWIRE_COMMAND_TOOLS_H_
