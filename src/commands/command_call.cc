#include "commands/command_call.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"
#include "base/strings.h"
#include "base/token_variables.h"
#include "process/child_process.h"
#include "process/find_program.h"
#include "process/pipe.h"
#include "process/stop_event.h"
#include "sandbox/enclosed_program.h"

namespace cursorwire::commands {
namespace {

using Clock = std::chrono::steady_clock;

// How long to read output of processes that the command left behind.
constexpr std::chrono::milliseconds kDrainTime{200};
// Interval for checking a process whose end cannot be reported.
constexpr std::chrono::milliseconds kLookInterval{10};

// The start of an output, and the length of the whole output.
class Capture {
 public:
  void Add(std::string_view bytes) {
    total_ += bytes.size();
    kept_ += bytes.substr(0, kMaxOutputBytes - kept_.size());
  }
  std::string Take() {
    if (total_ == kept_.size()) return std::move(kept_);
    kept_.resize(kept_.size() - UnfinishedUtf8Bytes(kept_));
    const size_t kept = kept_.size();
    return absl::StrCat(kept_, "\n[the first ", kept, " of ", total_,
                        " bytes; the rest is left out]");
  }

 private:
  std::string kept_;
  size_t total_ = 0;
};

// Moves the input and output of a running command until it has ended, or is stopped.
class Exchange {
 public:
  Exchange(process::ChildProcess& child, std::string_view input) : child_(child), input_(input) {}

  // False if `stop_fd` was readable first.
  bool Run(int stop_fd) {
    while (!IsOver()) {
      std::array<pollfd, 4> events = {
          pollfd{.fd = stop_fd, .events = POLLIN, .revents = 0},
          pollfd{.fd = ended_ ? -1 : child_.end_fd(), .events = POLLIN, .revents = 0},
          pollfd{.fd = child_.input().get(), .events = POLLOUT, .revents = 0},
          pollfd{.fd = output_open_ ? child_.output().get() : -1, .events = POLLIN, .revents = 0}};
      if (::poll(events.data(), events.size(), PollTimeout()) < 0 && errno != EINTR) return false;
      if (events[0].revents != 0) return false;
      if (!ended_ && child_.HasEnded()) OnEnded();
      if (events[2].revents != 0) Write();
      if (events[3].revents != 0) Read();
    }
    if (output_open_) Read();
    return true;
  }
  std::string TakeOutput() { return output_.Take(); }

 private:
  bool IsOver() const { return ended_ && (!output_open_ || Clock::now() >= drained_at_); }

  int PollTimeout() const {
    if (!ended_) return child_.end_fd() >= 0 ? -1 : static_cast<int>(kLookInterval.count());
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(drained_at_ - Clock::now());
    return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kDrainTime).count());
  }

  void OnEnded() {
    ended_ = true;
    drained_at_ = Clock::now() + kDrainTime;
    child_.CloseInput();
  }

  void Write() {
    if (!child_.input().valid()) return;
    const ptrdiff_t count = process::WriteToPipe(child_.input(), input_.data(), input_.size());
    if (count >= 0) input_.remove_prefix(static_cast<size_t>(count));
    const bool later = count == -EAGAIN || count == -EINTR;
    // On an error the command does not read its input, which it may do.
    if (!later && (count < 0 || input_.empty())) child_.CloseInput();
  }

  void Read() {
    std::array<char, size_t{64} * 1024> block{};
    const ssize_t count = ::read(child_.output().get(), block.data(), block.size());
    if (count > 0) {
      output_.Add({block.data(), static_cast<size_t>(count)});
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      output_open_ = false;
    }
  }

  process::ChildProcess& child_;
  std::string_view input_;  // the rest that was not written yet
  Capture output_;
  bool output_open_ = true;
  bool ended_ = false;
  Clock::time_point drained_at_;
};

ToolResult ResultOf(std::string output, const process::ChildEnd& end) {
  if (end.exit_code == 0) return ToolResult::Text(std::move(output));
  if (!output.empty() && output.back() != '\n') output += '\n';
  if (end.signal.empty()) {
    return ToolResult::Error(absl::StrCat(output, "exit code ", end.exit_code));
  }
  constexpr int kKilled = 128;  // as of ChildEnd
  return ToolResult::Error(
      absl::StrCat(output, "ended by signal ", end.exit_code - kKilled, " (", end.signal, ")"));
}

std::string_view PathOf(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  constexpr std::string_view kUsual = "/bin:/usr/bin";
  for (const std::string_view variable : environment) {
    if (variable.starts_with(kName)) return variable.substr(kName.size());
  }
  return kUsual;
}

// In the words of the system.
ToolResult CannotRun(const std::string& program, const absl::Status& why) {
  std::string_view text = ToStd(why.message());
  if (absl::IsNotFound(why)) text = "No such file or directory";
  if (absl::IsPermissionDenied(why)) text = "Permission denied";
  return ToolResult::Error(absl::StrCat("cannot run ", program, ": ", ToAbsl(text)));
}

// A command that runs, with the sandbox around it if it has one.
struct RunningTool {
  sandbox::EnclosedProgram enclosed{};  // before the child, which must end first
  std::unique_ptr<process::ChildProcess> child{};
};

absl::StatusOr<RunningTool> StartInSandbox(process::Program program,
                                           const std::vector<std::string>& environment,
                                           process::RunningCommands& running) {
  absl::StatusOr<sandbox::EnclosedProgram> enclosed =
      sandbox::Enclose(std::move(program), ".", {}, environment);
  if (!enclosed.ok()) return enclosed.status();
  absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
      sandbox::StartEnclosed(*enclosed, process::ChildInput::kPipe, running);
  if (!child.ok()) return child.status();
  return RunningTool{.enclosed = *std::move(enclosed), .child = *std::move(child)};
}

absl::StatusOr<RunningTool> Start(const ToolCommand& command,
                                  const std::vector<std::string>& environment,
                                  process::RunningCommands& running) {
  const FileDescriptor folder(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return absl::NotFoundError("the current folder is gone");
  process::Program program{.file = command.words[0],
                           .arguments = command.words,
                           .environment = environment,
                           .folder = folder.get(),
                           .errors = command.errors == CommandErrors::kOurs
                                         ? process::ChildErrors::kOurs
                                         : process::ChildErrors::kNone};
  if (command.words[0].find('/') == std::string::npos) {
    absl::StatusOr<std::string> file =
        process::FindProgram(command.words[0], PathOf(environment), "/");
    if (!file.ok()) return file.status();
    program.file = *std::move(file);
  }
  if (command.sandboxed) return StartInSandbox(std::move(program), environment, running);
  absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
      process::ChildProcess::Start(program, process::ChildInput::kPipe, running);
  if (!child.ok()) return child.status();
  return RunningTool{.child = *std::move(child)};
}

}  // namespace

std::vector<std::string> CommandEnvironment(const char* const* variables) {
  std::vector<std::string> environment;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    if (!IsTokenVariable(variable.substr(0, variable.find('='))))
      environment.emplace_back(variable);
  }
  return environment;
}

ToolResult RunCommand(const ToolCommand& command, const std::vector<std::string>& environment,
                      const ToolCall& call, process::RunningCommands& running) {
  const auto stop = process::StopEvent::Create(call.stop);
  if (!stop.ok()) return ToolResult::Error("cannot run it: no file descriptor is left");
  if (call.stop.stop_requested()) return ToolResult::Error("stopped");
  const absl::StatusOr<RunningTool> tool = Start(command, environment, running);
  if (absl::IsCancelled(tool.status())) return ToolResult::Error("stopped");
  if (!tool.ok()) return CannotRun(command.words[0], tool.status());
  Exchange exchange(*tool->child, call.arguments_json);
  if (!exchange.Run((*stop)->fd())) return ToolResult::Error("stopped");
  const absl::StatusOr<process::ChildEnd> end = tool->child->Reap();
  if (!end.ok()) return ToolResult::Error(std::string(end.status().message()));
  std::string output = exchange.TakeOutput();
  if (command.sandboxed) {
    const sandbox::SandboxEnd ended = tool->enclosed.command->Finish();
    if (!ended.setup.ok()) return CannotRun(command.words[0], ended.setup);
    for (const std::string& line : ended.appeared) absl::StrAppend(&output, "\n", line);
  }
  return ResultOf(std::move(output), *end);
}

}  // namespace cursorwire::commands
