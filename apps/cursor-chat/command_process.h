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

// How a process has ended: by its own exit, or by a signal.
struct CommandEnd {
  int exit_code = 0;
  int signal = 0;  // 0: none
};

// What becomes of the standard error of a command: it is that of this process, or /dev/null.
enum class CommandErrors { kOurs, kDropped };

// A command that leads a session of its own, so without a terminal. Its standard input and output
// are pipes to us, other descriptors than these and standard error are closed. Signals are as a
// program expects them, and the environment is ours without the tokens of Cursor.
//
// Several may run on several threads; one is used by one thread.
class CommandProcess {
 public:
  // `command` is the program, looked for in PATH unless it has a slash, and its arguments. No shell
  // sees them. `running` outlives the process.
  //   kUnknown  it cannot be started; the message says why
  static absl::StatusOr<std::unique_ptr<CommandProcess>> Start(
      const std::vector<std::string>& command, CommandErrors errors, RunningCommands& running);
  // Kills its session unless HasEnded(), and waits for it alone.
  ~CommandProcess();
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;

  // Our ends of the pipes. They never wait. To be closed when there is no more use for them.
  FileDescriptor input;
  FileDescriptor output;

  // Can be read from when the process has ended. Negative: this kernel has none (before Linux 5.3),
  // ask HasEnded() from time to time.
  int end_event() const { return end_event_.get(); }
  bool HasEnded() const;
  // Once HasEnded(). What it began and left behind goes on.
  CommandEnd end() const;

 private:
  CommandProcess(pid_t pid, RunningCommands& running);

  const pid_t pid_;
  RunningCommands& running_;
  FileDescriptor end_event_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_PROCESS_H_
