#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_PROCESS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_PROCESS_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "file_descriptor.h"
#include "running_commands.h"

namespace cursor_chat {

// How a process ended: by its own exit, or by a signal.
struct CommandEnd {
  int exit_code = 0;
  int signal = 0;  // 0: no signal
};

// Where the standard error of a command goes: to that of this process, or to /dev/null.
enum class CommandErrors { kOurs, kDropped };

// A command in a session of its own, so without a terminal. Its standard input and output are pipes
// to us; all other descriptors except standard error are closed. It has the usual signal settings,
// and our environment without Cursor's tokens.
//
// Several objects may be used on several threads, but each by only one thread.
class CommandProcess {
 public:
  // `command` is the program and its arguments. The program is looked for in PATH unless its name
  // has a slash. No shell is involved. `running` must outlive the process.
  //   kUnknown  the command cannot be started; the message says why
  static absl::StatusOr<std::unique_ptr<CommandProcess>> Start(
      const std::vector<std::string>& command, CommandErrors errors, RunningCommands& running);
  // Kills the session unless HasEnded(), and waits only for the command itself.
  ~CommandProcess();
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;

  // Our ends of the pipes, which never block. Close them when they are no longer needed.
  FileDescriptor input;
  FileDescriptor output;

  // Readable once the process has ended. Negative: this kernel cannot report the end (before Linux
  // 5.3); call HasEnded() from time to time.
  int end_event() const { return end_event_.get(); }
  bool HasEnded() const;
  // Call once HasEnded(). Processes that the command left behind go on.
  CommandEnd end() const;

 private:
  CommandProcess(pid_t pid, RunningCommands& running);

  const pid_t pid_;
  RunningCommands& running_;
  FileDescriptor end_event_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_PROCESS_H_
