#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_PROCESS_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_PROCESS_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "workspace/fs/open_file.h"
#include "workspace/shell/pipe.h"
#include "workspace/shell/running_commands.h"
#include "workspace/shell/shell_command.h"

namespace cursorwire::workspace {

enum class ChildInput { kNone, kPipe };  // kNone: /dev/null

// How a command ended.
struct ChildEnd {
  int32_t exit_code = 0;  // for a signal: 128 plus its number, as in shells
  std::string signal{};   // the signal's name, such as "SIGKILL"; empty: no signal
};

// A command line that /bin/sh runs in a session of its own. It has the usual signal settings, two
// pipes for its output, and no other file descriptors of ours. The destructor kills whatever is
// left of it. Thread-compatible, except for HasEnded() and pid().
class ChildProcess {
 public:
  // `running` must outlive it, and lists it while it runs.
  //   kInvalidArgument  the command is too long for the system
  //   kUnknown          the system cannot start another process, or has no shell
  //   kCancelled        RunningCommands::KillAll() was called
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const ShellCommand& command,
                                                             ChildInput input,
                                                             RunningCommands& running);
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // Our ends of the pipes, which never block.
  const OpenFile& input() const { return input_; }
  const OpenFile& output() const { return output_; }
  const OpenFile& error_output() const { return error_output_; }
  // Readable, for poll(2), once the shell has ended. -1 before Linux 5.3: use HasEnded() instead.
  int end_fd() const { return end_.fd(); }
  bool HasEnded() const { return Look() != State::kRuns; }

  // Kills the shell and what it has started. Returns when the shell has ended, which takes long
  // only if it waits for a broken disk. Call once.
  //   kUnknown  another part of this process waited for the shell
  absl::StatusOr<ChildEnd> Kill();

 private:
  enum class State { kRuns, kEnded, kLost };  // kLost: another part of this process waited for it

  State Look() const;

  ChildProcess(pid_t pid, std::string mark, RunningCommands& running);

  const pid_t pid_;
  const std::string mark_;
  RunningCommands& running_;
  bool reaped_ = false;
  OpenFile end_;
  OpenFile input_;
  OpenFile output_;
  OpenFile error_output_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_PROCESS_H_
