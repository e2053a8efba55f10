#include "workspace/shell.h"

#include <absl/status/status.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "cursorwire/connect/time_point.h"
#include "workspace/child_process.h"
#include "workspace/child_wait.h"
#include "workspace/output_pipe.h"
#include "workspace/permission.h"
#include "workspace/shell_command.h"
#include "workspace/stop_event.h"

namespace cursorwire::workspace {
namespace {

using Clock = std::chrono::steady_clock;

// All of it at the end.
class StringSink final : public ShellSink {
 public:
  void Out(std::string_view bytes) override { out += bytes; }
  void Err(std::string_view bytes) override { err += bytes; }

  std::string out;
  std::string err;
};

// None, and nonsense, is the default.
std::chrono::milliseconds TimeoutOf(const ShellArgs& args, const LocalExecOptions& options) {
  const std::chrono::milliseconds wanted =
      args.timeout > std::chrono::milliseconds::zero() ? args.timeout : options.shell_timeout;
  return std::min(wanted, options.max_shell_timeout);
}

// Reads both outputs until the command ends, is out of time, or is stopped.
class ShellRun {
 public:
  ShellRun(ChildProcess& child, const LocalExecOptions& options, ShellSink& sink)
      : child_(child),
        out_(child.output(), "stdout", options.max_shell_output_bytes,
             [&sink](std::string_view bytes) { sink.Out(bytes); }),
        err_(child.error_output(), "stderr", options.max_shell_output_bytes,
             [&sink](std::string_view bytes) { sink.Err(bytes); }) {}

  // False if it did not end in time.
  bool ReadUntil(connect::TimePoint deadline, const std::stop_token& stop, int stop_fd) {
    ChildWait wait(child_);
    while (!stop.stop_requested()) {
      const connect::TimePoint now = Clock::now();
      if (wait.IsOver(now, out_, err_)) return true;
      if (now >= deadline && !wait.shell_ended()) return false;
      wait.Poll(now, deadline, out_, err_, stop_fd);
      out_.ReadSome();
      err_.ReadSome();
    }
    return true;
  }

  // What was written before the command was killed.
  void ReadRest(const std::stop_token& stop) {
    for (OutputPipe* output : {&out_, &err_}) {
      // Bounded, should somebody else write on.
      for (int reads = 0; reads < kMaxLastReads && !stop.stop_requested(); ++reads) {
        if (!output->ReadSome()) break;
      }
      output->Finish();
    }
  }

 private:
  static constexpr int kMaxLastReads = 32;  // of 64 KiB: pipes may hold 1 MiB, in small pieces

  ChildProcess& child_;
  OutputPipe out_;
  OutputPipe err_;
};

}  // namespace

absl::StatusOr<ShellOutput> StreamShell(const Workspace& workspace, const LocalExecOptions& options,
                                        const std::vector<std::string>& environment,
                                        RunningCommands& running, const ShellArgs& args,
                                        ShellSink& sink, std::stop_token stop) {
  const absl::StatusOr<ShellCommand> command =
      PrepareCommand(workspace, environment, args.command, args.working_directory);
  if (!command.ok()) return command.status();
  const ShellAction action{.command = command->text, .working_directory = command->folder_path};
  if (absl::Status status = AskPolicy(options.policy, action, stop); !status.ok()) return status;

  const absl::StatusOr<std::unique_ptr<StopEvent>> stopped = StopEvent::Create(stop);
  if (!stopped.ok()) return stopped.status();
  const connect::TimePoint start = Clock::now();
  const absl::StatusOr<std::unique_ptr<ChildProcess>> child =
      ChildProcess::Start(*command, ChildInput::kNone, running);
  if (!child.ok()) return child.status();
  ShellRun run(**child, options, sink);
  const connect::TimePoint deadline = connect::After(start, TimeoutOf(args, options));
  const bool in_time = run.ReadUntil(deadline, stop, (*stopped)->fd());
  const absl::StatusOr<ChildEnd> end = (*child)->Kill();
  if (absl::Status status = CheckStop(stop); !status.ok()) return status;
  run.ReadRest(stop);
  if (absl::Status status = CheckStop(stop); !status.ok()) return status;
  if (!end.ok()) return end.status();
  return ShellOutput{
      .exit_code = end->exit_code,
      .signal = end->signal,
      .duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start),
      .timed_out = !in_time};
}

absl::StatusOr<ShellOutput> RunShell(const Workspace& workspace, const LocalExecOptions& options,
                                     const std::vector<std::string>& environment,
                                     RunningCommands& running, const ShellArgs& args,
                                     std::stop_token stop) {
  StringSink sink;
  absl::StatusOr<ShellOutput> output =
      StreamShell(workspace, options, environment, running, args, sink, std::move(stop));
  if (!output.ok()) return output;
  output->out = std::move(sink.out);
  output->err = std::move(sink.err);
  return output;
}

}  // namespace cursorwire::workspace
