#include "process/child_process.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "process/system_error.h"

#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
#define CURSORWIRE_HAS_CLOSEFROM 1
#endif
#endif

namespace cursorwire::process {
namespace {

constexpr int32_t kKilled = 128;  // a shell adds the number of the signal to this

absl::Status SpawnError(int error) {
  using enum absl::StatusCode;
  switch (error) {
    case E2BIG:
      return LocalError(kInvalidArgument,
                        "the command is too long; write it to a file and run that");
    case ENOENT:
    case ENOTDIR:
      return LocalError(kNotFound, "the command was not started: there is no such program");
    case EACCES:
    case EPERM:
      return LocalError(
          kPermissionDenied,
          "the command was not started: the system does not allow the user to run it");
    default:
      return Annotate(SystemError(error), "the command was not started");
  }
}

// Copies of the descriptors that are passed, above all numbers they are passed as: dup2() in the
// child then neither closes one that is still to be passed, nor finds it in its place already,
// where it would stay closed on exec.
class PassedCopies {
 public:
  static absl::StatusOr<PassedCopies> Make(const std::vector<PassedDescriptor>& descriptors) {
    PassedCopies copies;
    for (const PassedDescriptor& passed : descriptors) {
      if (passed.to <= STDERR_FILENO || passed.to > kMaxPassedDescriptor || copies.Has(passed.to)) {
        return InvalidArgument(
            absl::StrCat("descriptor ", passed.to, " cannot be passed, or is passed twice"));
      }
      FileDescriptor copy(::fcntl(passed.from, F_DUPFD_CLOEXEC, kMaxPassedDescriptor + 1));
      if (!copy.valid()) return Annotate(SystemError(errno), "a descriptor cannot be passed");
      copies.entries_.push_back({.copy = std::move(copy), .to = passed.to});
    }
    return copies;
  }

  bool Has(int number) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [number](const Entry& entry) { return entry.to == number; });
  }
  // Below STDERR_FILENO + 1: none is passed.
  int Highest() const {
    int highest = STDERR_FILENO;
    for (const Entry& entry : entries_) highest = std::max(highest, entry.to);
    return highest;
  }
  // Puts them in their places, and closes what is between them.
  int AddTo(posix_spawn_file_actions_t& actions) const {
    int error = 0;
    for (const Entry& entry : entries_) {
      if (error == 0) {
        error = ::posix_spawn_file_actions_adddup2(&actions, entry.copy.get(), entry.to);
      }
    }
    for (int number = STDERR_FILENO + 1; number < Highest() && error == 0; ++number) {
      // One that is not open is passed by.
      if (!Has(number)) error = ::posix_spawn_file_actions_addclose(&actions, number);
    }
    return error;
  }

 private:
  struct Entry {
    FileDescriptor copy{};
    int to = -1;
  };

  std::vector<Entry> entries_;
};

std::vector<char*> PointersTo(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The settings for posix_spawn(): what it does in the child before it starts the program.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // Gives the child a session of its own, with no signal blocked or ignored.
  int UseFreshSession() {
    sigset_t none{};
    sigset_t all{};
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    return ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  // `input` < 0: no input. `error_output` < 0: none, or ours.
  int UseFiles(const Program& program, int input, int output, int error_output,
               const PassedCopies& passed) {
    int error = ::posix_spawn_file_actions_addfchdir_np(&actions_, program.folder);
    if (error == 0 && input < 0) {
      error = ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    if (error == 0 && input >= 0) {
      error = ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    }
    if (error == 0) {
      error = ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    }
    if (error == 0 && program.errors == ChildErrors::kNone) {
      error =
          ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (error == 0 && program.errors == ChildErrors::kPipe) {
      error = ::posix_spawn_file_actions_adddup2(&actions_, error_output, STDERR_FILENO);
    }
    if (error == 0) error = passed.AddTo(actions_);
      // Our descriptors are closed on exec anyway; those of the rest of the process may not be.
#ifdef CURSORWIRE_HAS_CLOSEFROM
    if (error == 0) {
      error = ::posix_spawn_file_actions_addclosefrom_np(&actions_, passed.Highest() + 1);
    }
#endif
    return error;
  }

  absl::StatusOr<pid_t> Spawn(const Program& program, std::vector<std::string> environment) {
    std::vector<std::string> arguments = program.arguments;
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, program.file.c_str(), &actions_, &attributes_,
                                    PointersTo(arguments).data(), PointersTo(environment).data());
    if (error != 0) return SpawnError(error);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Spawns by way of Program::run_spawn.
absl::StatusOr<pid_t> SpawnWhereAsked(SpawnPlan& plan, const Program& program,
                                      const std::vector<std::string>& environment) {
  if (!program.run_spawn) return plan.Spawn(program, environment);
  absl::StatusOr<pid_t> pid =
      LocalError(absl::StatusCode::kInternal, "the command was not started");
  const absl::Status ran = program.run_spawn([&] { pid = plan.Spawn(program, environment); });
  // A process that was started all the same must not be lost.
  if (!ran.ok() && !pid.ok()) return ran;
  return pid;
}

std::string SignalName(int number) {
  switch (number) {
    case SIGHUP:
      return "SIGHUP";
    case SIGINT:
      return "SIGINT";
    case SIGQUIT:
      return "SIGQUIT";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGKILL:
      return "SIGKILL";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGPIPE:
      return "SIGPIPE";
    case SIGALRM:
      return "SIGALRM";
    case SIGTERM:
      return "SIGTERM";
    case SIGXCPU:
      return "SIGXCPU";
    case SIGXFSZ:
      return "SIGXFSZ";
    case SIGSYS:
      return "SIGSYS";
    default:
      return absl::StrCat("SIG", number);
  }
}

// As /proc tells them: each ended by a zero byte.
std::string ArgumentsOf(const Program& program) {
  std::string arguments;
  for (const std::string& argument : program.arguments) {
    arguments += argument;
    arguments += '\0';
  }
  return arguments;
}

FileDescriptor OpenEnd([[maybe_unused]] pid_t pid) {
#ifdef SYS_pidfd_open
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#else
  return FileDescriptor();
#endif
}

}  // namespace

ChildProcess::ChildProcess(pid_t pid, std::string arguments, std::string mark,
                           RunningCommands& running)
    : pid_(pid),
      arguments_(std::move(arguments)),
      mark_(std::move(mark)),
      running_(running),
      end_(OpenEnd(pid)) {}

ChildProcess::~ChildProcess() {
  if (!reaped_) Kill().IgnoreError();
}

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(const Program& program,
                                                                  ChildInput input,
                                                                  RunningCommands& running) {
  absl::StatusOr<Pipe> in = input == ChildInput::kPipe ? MakePipe() : Pipe();
  absl::StatusOr<Pipe> out = MakePipe();
  absl::StatusOr<Pipe> err = program.errors == ChildErrors::kPipe ? MakePipe() : Pipe();
  for (const absl::StatusOr<Pipe>* pipe : {&in, &out, &err}) {
    if (!pipe->ok()) return pipe->status();
  }
  const absl::StatusOr<PassedCopies> passed = PassedCopies::Make(program.descriptors);
  if (!passed.ok()) return passed.status();
  SpawnPlan plan;
  int error = plan.UseFreshSession();
  if (error == 0) {
    error = plan.UseFiles(program, in->read_end.get(), out->write_end.get(), err->write_end.get(),
                          *passed);
  }
  std::string mark = MakeCommandMark();
  std::vector<std::string> environment = program.environment;
  environment.push_back(mark);
  if (error != 0) return SpawnError(error);
  const absl::StatusOr<pid_t> pid =
      running.Start(mark, [&] { return SpawnWhereAsked(plan, program, environment); });
  if (!pid.ok()) return pid.status();

  std::unique_ptr<ChildProcess> child(
      new ChildProcess(*pid, ArgumentsOf(program), std::move(mark), running));
  child->input_ = std::move(in->write_end);
  child->output_ = std::move(out->read_end);
  child->error_output_ = std::move(err->read_end);
  for (FileDescriptor* end : {&child->input_, &child->output_, &child->error_output_}) {
    if (end->valid()) SetNonBlocking(*end);
  }
  return child;
}

ChildProcess::State ChildProcess::Look() const {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return State::kLost;
  }
  return info.si_pid == 0 ? State::kRuns : State::kEnded;
}

std::optional<ChildEnd> ChildProcess::End() const {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result != 0 || info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return ChildEnd{.exit_code = info.si_status};
  return ChildEnd{.exit_code = kKilled + info.si_status, .signal = SignalName(info.si_status)};
}

void ChildProcess::Terminate() {
  if (Look() != State::kLost) ::kill(-pid_, SIGTERM);
}

absl::StatusOr<ChildEnd> ChildProcess::Kill() {
  // If the number is no longer ours, it may belong to any other process.
  LeftProcesses left;
  if (Look() != State::kLost) left = KillSession(pid_, mark_);
  for (LeftProcesses::Process& process : left.first) {
    process.is_part = std::string_view(arguments_).starts_with(process.arguments);
  }
  absl::StatusOr<ChildEnd> end = Reap();
  if (end.ok()) end->left = std::move(left);
  return end;
}

absl::StatusOr<ChildEnd> ChildProcess::Reap() {
  running_.Remove(pid_);
  int status = 0;
  pid_t waited = 0;
  do {
    waited = ::waitpid(pid_, &status, 0);
  } while (waited < 0 && errno == EINTR);
  reaped_ = true;
  if (waited != pid_) {
    return LocalError(absl::StatusCode::kUnknown,
                      "the command ran, but another part of this program took its exit code");
  }
  if (WIFSIGNALED(status)) {
    return ChildEnd{.exit_code = kKilled + WTERMSIG(status),
                    .signal = SignalName(WTERMSIG(status))};
  }
  return ChildEnd{.exit_code = WEXITSTATUS(status)};
}

}  // namespace cursorwire::process
