#include "workspace/shell/shell.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cursorwire/connect/time_point.h"
#include "process/child_process.h"
#include "process/stop_event.h"
#include "sandbox/hint.h"
#include "workspace/fs/permission.h"
#include "workspace/shell/allow_command.h"
#include "workspace/shell/child_wait.h"
#include "workspace/shell/left_notice.h"
#include "workspace/shell/output_log.h"
#include "workspace/shell/output_pipe.h"
#include "workspace/shell/shell_command.h"
#include "workspace/shell/started_command.h"

namespace cursorwire::workspace {
namespace {

using Clock = std::chrono::steady_clock;

// Collects all output for the end.
class StringSink final : public ShellSink {
 public:
  void Out(std::string_view bytes) override { out += bytes; }
  void Err(std::string_view bytes) override { err += bytes; }

  std::string out;
  std::string err;
};

// `otherwise` if `wanted` is missing or not positive; never above the maximum.
std::chrono::milliseconds Bounded(std::chrono::milliseconds wanted,
                                  std::chrono::milliseconds otherwise,
                                  const LocalExecOptions& options) {
  const bool given = wanted > std::chrono::milliseconds::zero();
  return std::min(given ? wanted : otherwise, options.max_shell_timeout);
}

// The limit for each output in an answer.
size_t MaxAnswerBytes(const ShellArgs& args, const LocalExecOptions& options) {
  const uint64_t threshold = args.file_output_threshold_bytes.value_or(UINT64_MAX);
  return static_cast<size_t>(std::min<uint64_t>(threshold, options.max_shell_output_bytes));
}

// nullptr if no file was requested for output that exceeds the answer.
std::unique_ptr<OutputLog> MakeLog(const ShellHost& host, const ShellArgs& args) {
  if (!args.file_output_threshold_bytes && args.timeout_behavior == TimeoutBehavior::kCancel) {
    return nullptr;
  }
  return std::make_unique<OutputLog>(host.outputs, MaxAnswerBytes(args, host.options),
                                     host.options.max_output_file_bytes);
}

// The file to which a shell writes its last folder.
class LastFolder {
 public:
  explicit LastFolder(OutputFolder& outputs) : outputs_(outputs) {
    absl::StatusOr<OutputFile> file = outputs.Create(outputs.FreeName());
    if (file.ok()) path_ = file->path;
  }
  ~LastFolder() { outputs_.Discard(path_); }
  LastFolder(const LastFolder&) = delete;
  LastFolder& operator=(const LastFolder&) = delete;

  const std::string& path() const { return path_; }
  // Returns `otherwise` if the shell was killed or replaced itself by another program.
  std::string Read(const std::string& otherwise) const {
    const absl::StatusOr<OpenFile> file = outputs_.Open(path_);
    std::string text(PATH_MAX + 1, '\0');
    const absl::StatusOr<size_t> size =
        file.ok() ? file->Read(text.data(), text.size()) : absl::StatusOr<size_t>(file.status());
    text.resize(size.value_or(0));
    const bool whole = text.starts_with('/') && text.ends_with('\n');
    return whole ? text.substr(0, text.size() - 1) : otherwise;
  }

 private:
  OutputFolder& outputs_;
  std::string path_;
};

// Reads both outputs until the command ends, times out, or is stopped.
class ShellRun {
 public:
  // `log` may be nullptr.
  ShellRun(process::ChildProcess& child, size_t max_bytes, ShellSink& sink, OutputLog* log)
      : child_(child),
        sink_(sink),
        out_(
            child.output(), "stdout", max_bytes,
            [&sink](std::string_view bytes) { sink.Out(bytes); }, KeepIn(log, tail_)),
        err_(
            child.error_output(), "stderr", max_bytes,
            [&sink](std::string_view bytes) { sink.Err(bytes); }, KeepIn(log, tail_)) {}

  // False if the command did not end in time.
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

  // Reads what was written before the command was killed.
  void ReadRest(const std::stop_token& stop) {
    for (OutputPipe* output : {&out_, &err_}) {
      // Bounded, in case another process keeps writing.
      for (int reads = 0; reads < kMaxLastReads && !stop.stop_requested(); ++reads) {
        if (!output->ReadSome()) break;
      }
    }
  }

  // What the agent must know of the command, beside its output.
  void Tell(std::string_view notice) {
    if (!notice.empty()) sink_.Err(notice);
  }

  // What may be behind a failure: a line, or "".
  std::string Hint(const SandboxPolicy& policy) const {
    const std::string hint = sandbox::Hint(policy, tail_);
    return hint.empty() ? "" : absl::StrCat("\n[", hint, "]\n");
  }

  // `file` contains the full output.
  void Finish(const std::string& file) {
    for (OutputPipe* output : {&out_, &err_}) output->Finish(file);
  }

 private:
  static constexpr int kMaxLastReads = 32;  // of 64 KiB: pipes may hold 1 MiB, in small pieces

  static constexpr size_t kTailBytes = 4096;

  static OutputPipe::Taker KeepIn(OutputLog* log, std::string& tail) {
    return [log, &tail](std::string_view bytes) {
      tail += bytes.substr(bytes.size() - std::min(bytes.size(), kTailBytes));
      tail.erase(0, tail.size() - std::min(tail.size(), kTailBytes));
      if (log != nullptr) log->Append(bytes);
    };
  }

  process::ChildProcess& child_;
  ShellSink& sink_;
  std::string tail_;  // of both outputs
  OutputPipe out_;
  OutputPipe err_;
};

ShellOutput OutputOf(const BackgroundShellOutput& shell, BackgroundReason reason) {
  return {.backgrounded = BackgroundedShell{.shell_id = shell.shell_id,
                                            .process_id = shell.process_id,
                                            .reason = reason,
                                            .output_path = shell.output_path}};
}

// Runs one command that was allowed.
class AllowedShell {
 public:
  AllowedShell(const ShellHost& host, const ShellArgs& args, ShellCommand command)
      : host_(host), args_(args), command_(std::move(command)) {}

  absl::StatusOr<ShellOutput> RunInBackground() {
    const absl::StatusOr<BackgroundShellOutput> shell = host_.background.Launch(
        command_, args_.close_stdin ? process::ChildInput::kNone : process::ChildInput::kPipe,
        host_.options, HardTimeoutAt());
    if (!shell.ok()) return shell.status();
    ShellOutput output = OutputOf(*shell, BackgroundReason::kRequested);
    output.sandbox = command_.sandbox;
    return output;
  }

  absl::StatusOr<ShellOutput> Run(ShellSink& sink, const std::stop_token& stop) {
    const absl::StatusOr<std::unique_ptr<process::StopEvent>> stopped =
        process::StopEvent::Create(stop);
    if (!stopped.ok()) return stopped.status();
    const LastFolder last_folder(host_.outputs);
    command_.last_folder_file = last_folder.path();
    log_ = MakeLog(host_, args_);
    absl::StatusOr<std::unique_ptr<StartedCommand>> started =
        StartedCommand::Start(command_, process::ChildInput::kNone, host_.running, host_.sandbox);
    if (!started.ok()) return started.status();
    started_ = *std::move(started);
    sink.Started(command_.sandbox);
    ShellRun run(started_->child(), MaxAnswerBytes(args_, host_.options), sink, log_.get());
    const bool in_time = run.ReadUntil(TimeoutAt(), stop, (*stopped)->fd());
    if (!in_time && args_.timeout_behavior == TimeoutBehavior::kBackground) {
      const absl::StatusOr<BackgroundShellOutput> shell =
          host_.background.Adopt(command_.text, started_, log_, host_.options, HardTimeoutAt());
      if (shell.ok()) return GoOn(*shell, run);
      if (started_ == nullptr) return shell.status();
    }
    absl::StatusOr<ShellOutput> output = End(run, in_time, stop);
    if (!output.ok()) return output;
    output->timed_out = !in_time;
    output->sandbox = command_.sandbox;
    output->last_folder = last_folder.Read(command_.folder_path);
    return output;
  }

 private:
  connect::TimePoint TimeoutAt() const {
    const auto timeout = Bounded(args_.timeout, host_.options.shell_timeout, host_.options);
    return connect::After(start_, timeout);
  }

  connect::TimePoint HardTimeoutAt() const {
    const auto longest = host_.options.max_shell_timeout;
    return connect::After(start_, Bounded(args_.hard_timeout, longest, host_.options));
  }

  std::chrono::milliseconds Duration() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_);
  }

  // From now on another thread reads the command; we return what was read before.
  ShellOutput GoOn(const BackgroundShellOutput& shell, ShellRun& run) const {
    run.Finish(shell.output_path);
    ShellOutput output = OutputOf(shell, BackgroundReason::kTimeout);
    output.duration = Duration();
    output.sandbox = command_.sandbox;
    return output;
  }

  absl::StatusOr<ShellOutput> End(ShellRun& run, bool in_time, const std::stop_token& stop) const {
    const absl::StatusOr<process::ChildEnd> end = started_->child().Kill();
    const absl::StatusOr<std::string> sandbox_lines = started_->Finish();
    if (absl::Status status = CheckStop(stop); !status.ok()) return status;
    run.ReadRest(stop);
    const std::optional<OutputLocation> location =
        log_ == nullptr ? std::nullopt : log_->location();
    run.Finish(location ? location->path : "");
    if (absl::Status status = CheckStop(stop); !status.ok()) return status;
    if (!end.ok()) return end.status();
    if (!sandbox_lines.ok()) return sandbox_lines.status();
    run.Tell(*sandbox_lines);
    if (command_.sandbox && end->exit_code != 0) run.Tell(run.Hint(*command_.sandbox));
    if (in_time) run.Tell(LeftNotice(end->left, ShellPlace::kForeground));
    return ShellOutput{.exit_code = end->exit_code,
                       .signal = end->signal,
                       .duration = Duration(),
                       .output_location = location};
  }

  const connect::TimePoint start_ = Clock::now();
  const ShellHost& host_;
  const ShellArgs& args_;
  ShellCommand command_;
  std::unique_ptr<OutputLog> log_;
  std::unique_ptr<StartedCommand> started_;
};

}  // namespace

absl::StatusOr<ShellOutput> StreamShell(const ShellHost& host, const ShellArgs& args,
                                        ShellSink& sink, const ActionContext& context) {
  absl::StatusOr<ShellCommand> command =
      PrepareCommand(host.workspace, host.environment, args.command, args.working_directory);
  if (!command.ok()) return command.status();
  absl::Status allowed = AllowCommand(
      {host.sandbox, host.options.policy, args.sandbox, args.in_background}, *command, context);
  if (!allowed.ok()) return allowed;
  AllowedShell shell(host, args, *std::move(command));
  return args.in_background ? shell.RunInBackground() : shell.Run(sink, context.stop);
}

absl::StatusOr<ShellOutput> RunShell(const ShellHost& host, const ShellArgs& args,
                                     const ActionContext& context) {
  StringSink sink;
  absl::StatusOr<ShellOutput> output = StreamShell(host, args, sink, context);
  if (!output.ok()) return output;
  output->out = std::move(sink.out);
  output->err = std::move(sink.err);
  return output;
}

}  // namespace cursorwire::workspace
