#ifndef CURSORWIRE_SRC_PROCESS_CHILD_PROCESS_H_
#define CURSORWIRE_SRC_PROCESS_CHILD_PROCESS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "process/pipe.h"
#include "process/process_session.h"
#include "process/running_commands.h"

namespace cursorwire::process {

// Where the standard error of a program goes: to a pipe, to that of this process, or to /dev/null.
enum class ChildErrors { kPipe, kOurs, kNone };

// A descriptor of ours that the program gets as well, under a number of its own.
struct PassedDescriptor {
  int from = -1;  // open during Start(); stays open and unchanged here
  int to = -1;    // 3 to kMaxPassedDescriptor
};

inline constexpr int kMaxPassedDescriptor = 63;

// Calls its argument once, which starts the process, on whatever thread it likes, and returns
// afterwards. An error: it was not called, and Start() fails with that error.
using RunSpawn = std::function<absl::Status(const std::function<void()>& spawn)>;

// What is to be started, and where.
struct Program {
  std::string file{};                      // a path; PATH is not searched, see FindProgram()
  std::vector<std::string> arguments{};    // the first one is the name of the program
  std::vector<std::string> environment{};  // "NAME=value", in place of ours
  int folder = -1;                         // a descriptor of the folder; open during Start()
  ChildErrors errors = ChildErrors::kPipe;
  std::vector<PassedDescriptor> descriptors{};  // each `to` once
  RunSpawn run_spawn{};  // empty: the process is started by the thread that calls Start()
};

enum class ChildInput { kNone, kPipe };  // kNone: /dev/null

// How a command ended.
struct ChildEnd {
  int32_t exit_code = 0;  // for a signal: 128 plus its number, as in shells
  std::string signal{};   // the signal's name, such as "SIGKILL"; empty: no signal
  LeftProcesses left{};   // of Kill(): what it killed beside the program
};

// A program that runs in a session of its own: the one way to start a process. It has the usual
// signal settings, pipes for its output, and no other file descriptors of ours but those that are
// passed to it. The destructor kills whatever is left of it. Thread-compatible, except for
// HasEnded() and pid().
class ChildProcess {
 public:
  // `running` must outlive it, and lists it while it runs.
  //   kInvalidArgument   the arguments are too long for the system, or a number of
  //                      Program::descriptors is out of range or there twice
  //   kNotFound          there is no such program
  //   kPermissionDenied  the user may not run it
  //   kUnknown           the system cannot start another process
  //   kCancelled         RunningCommands::KillAll() was called
  //   others             as of Program::run_spawn
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const Program& program,
                                                             ChildInput input,
                                                             RunningCommands& running);
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // Our ends of the pipes, which never block; not valid where there is none.
  const FileDescriptor& input() const { return input_; }
  const FileDescriptor& output() const { return output_; }
  const FileDescriptor& error_output() const { return error_output_; }
  // Closes our end of its standard input.
  void CloseInput() { input_.Reset(); }
  // Readable, for poll(2), once the program has ended. -1 before Linux 5.3: use HasEnded() instead.
  int end_fd() const { return end_.get(); }
  bool HasEnded() const { return Look() != State::kRuns; }
  // How it ended; nullopt while it runs, or if another part of this process waited for it. Before
  // Kill().
  std::optional<ChildEnd> End() const;

  // Waits for a program that has ended, and returns at once; what it has started goes on. Once, in
  // place of Kill().
  //   kUnknown  as of Kill()
  absl::StatusOr<ChildEnd> Reap();
  // Sends SIGTERM to its process group, also after the program itself has ended.
  void Terminate();
  // Kills the program and what it has started. Returns when the program has ended, which takes long
  // only if it waits for a broken disk. Call once.
  //   kUnknown  another part of this process waited for the program
  absl::StatusOr<ChildEnd> Kill();

 private:
  enum class State { kRuns, kEnded, kLost };  // kLost: another part of this process waited for it

  State Look() const;

  ChildProcess(pid_t pid, std::string arguments, std::string mark, RunningCommands& running);

  const pid_t pid_;
  const std::string arguments_;  // as /proc tells them
  const std::string mark_;
  RunningCommands& running_;
  bool reaped_ = false;
  FileDescriptor end_;
  FileDescriptor input_;
  FileDescriptor output_;
  FileDescriptor error_output_;
};

}  // namespace cursorwire::process

#endif  // CURSORWIRE_SRC_PROCESS_CHILD_PROCESS_H_
