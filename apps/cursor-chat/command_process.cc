#include "command_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>

#include "common/hide_token.h"
#include "session_kill.h"

namespace cursor_chat {
namespace {

// How long to wait for a process that was killed. One that hangs in the kernel is left to the
// system.
constexpr std::chrono::milliseconds kKillTime{2'000};

absl::Status CannotRun(const std::string& program, int error) {
  return absl::UnknownError("cannot run " + program + ": " +
                            std::generic_category().message(error));
}

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

std::optional<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// How to start a process: its descriptors, session and signals.
class SpawnPlan {
 public:
  SpawnPlan(int input, int output, CommandErrors errors) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    if (errors == CommandErrors::kDropped) {
      ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // 0, or an errno.
  int Spawn(std::vector<std::string> command, pid_t& pid) const {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::vector<char*> variables = cursor_apps::EnvironmentWithoutTokens();
    return ::posix_spawnp(&pid, arguments[0], &files_, &attributes_, arguments.data(),
                          variables.data());
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

// The command's end of a pipe is not affected: it has its own file description.
void NeverWait(const FileDescriptor& end) { ::fcntl(end.get(), F_SETFL, O_NONBLOCK); }

}  // namespace

absl::StatusOr<std::unique_ptr<CommandProcess>> CommandProcess::Start(
    const std::vector<std::string>& command, CommandErrors errors, RunningCommands& running) {
  std::optional<Pipe> input = MakePipe();
  std::optional<Pipe> output = MakePipe();
  if (!input || !output) return CannotRun(command[0], errno);
  pid_t pid = 0;
  const int error = SpawnPlan(input->read.get(), output->write.get(), errors).Spawn(command, pid);
  if (error != 0) return CannotRun(command[0], error);
  std::unique_ptr<CommandProcess> process(new CommandProcess(pid, running));
  process->input = std::move(input->write);
  process->output = std::move(output->read);
  NeverWait(process->input);
  NeverWait(process->output);
  return process;
}

CommandProcess::CommandProcess(pid_t pid, RunningCommands& running)
    : pid_(pid),
      running_(running),
      end_event_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
  running_.Add(pid_);
}

CommandProcess::~CommandProcess() {
  if (!HasEnded()) {
    KillSession(pid_);
    pollfd event{.fd = end_event_.get(), .events = POLLIN, .revents = 0};
    if (end_event_.open()) ::poll(&event, 1, static_cast<int>(kKillTime.count()));
  }
  running_.Remove(pid_);
  siginfo_t info{};
  const int flags = end_event_.open() ? WEXITED | WNOHANG : WEXITED;
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, flags) != 0 && errno == EINTR) {
  }
}

bool CommandProcess::HasEnded() const {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result != 0) return errno == ECHILD;  // another part of this process has waited for it
  return info.si_pid == pid_;
}

CommandEnd CommandProcess::end() const {
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (info.si_code == CLD_EXITED) return {.exit_code = info.si_status};
  return {.signal = info.si_status};
}

}  // namespace cursor_chat
