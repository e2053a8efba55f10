#include <string_view>
#include <variant>

#include "agent/exec/exec_kinds.h"
#include "agent/exec/sandbox_policy.h"
#include "agent/exec/shell_exec.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

ShellArgs ToShell(const pb::ShellArgs& args) {
  ShellArgs shell{.command = args.command(),
                  .working_directory = args.working_directory(),
                  .timeout = MillisecondsOf(args.timeout()),
                  .hard_timeout = MillisecondsOf(args.hard_timeout()),
                  .in_background = args.is_background(),
                  .close_stdin = args.close_stdin(),
                  .sandbox = ToRequestedSandbox(args.requested_sandbox_policy())};
  if (args.timeout_behavior() == pb::TIMEOUT_BEHAVIOR_BACKGROUND) {
    shell.timeout_behavior = TimeoutBehavior::kBackground;
  }
  if (args.has_file_output_threshold_bytes()) {
    shell.file_output_threshold_bytes = args.file_output_threshold_bytes();
  }
  return shell;
}

ExecArgs ToStreamedShell(const pb::ExecServerMessage& exec) {
  ShellArgs shell = ToShell(exec.shell_stream_args());
  shell.streamed = true;
  return shell;
}

// A shell's exit code for a killed command is this plus the number of the signal.
constexpr uint32_t kKilled = 128;

int32_t Milliseconds(const ShellOutput& output) { return ToCount(output.duration.count()); }

void FillLocation(const OutputLocation& location, pb::OutputLocation& result) {
  result.set_file_path(ToUtf8(location.path));
  result.set_size_bytes(location.file_bytes);
  result.set_line_count(location.lines);
}

pb::ShellBackgroundReason BackgroundReasonOf(const BackgroundedShell& shell) {
  return shell.reason == BackgroundReason::kTimeout ? pb::SHELL_BACKGROUND_REASON_TIMEOUT
                                                    : pb::SHELL_BACKGROUND_REASON_USER_REQUEST;
}

// Fills the fields that ShellSuccess and ShellFailure share.
template <typename Result>
void FillEnd(const pb::ShellArgs& args, const ShellOutput& output, Result& result) {
  result.set_command(args.command());
  result.set_working_directory(args.working_directory());
  result.set_exit_code(output.exit_code);
  result.set_signal(ToUtf8(output.signal));
  result.set_stdout(ToUtf8(output.out));
  result.set_stderr(ToUtf8(output.err));
  result.set_execution_time(Milliseconds(output));
  if (output.output_location) {
    FillLocation(*output.output_location, *result.mutable_output_location());
  }
}

void FillBackgrounded(const BackgroundedShell& shell, pb::ShellResult& result) {
  result.set_is_background(true);
  result.mutable_success()->set_shell_id(shell.shell_id);
  result.mutable_success()->set_background_reason(BackgroundReasonOf(shell));
  const size_t slash = shell.output_path.rfind('/');
  if (slash != std::string::npos) {
    result.set_terminals_folder(ToUtf8(shell.output_path.substr(0, slash)));
  }
  if (!shell.process_id) return;
  result.set_pid(*shell.process_id);
  result.mutable_success()->set_pid(*shell.process_id);
}

void FillBackgrounded(const pb::ShellArgs& args, const BackgroundedShell& shell,
                      pb::ShellStreamBackgrounded& event) {
  event.set_shell_id(shell.shell_id);
  event.set_command(args.command());
  event.set_working_directory(args.working_directory());
  event.set_reason(BackgroundReasonOf(shell));
  if (shell.process_id) event.set_pid(*shell.process_id);
}

void FillExit(const pb::ShellArgs& args, const ShellOutput& output, pb::ShellStreamExit& exit) {
  // The event has no field for a signal, and the exit code 0 would read as a success.
  const bool killed = !output.signal.empty() && output.exit_code == 0;
  exit.set_code(killed ? kKilled : static_cast<uint32_t>(output.exit_code));
  exit.set_cwd(output.last_folder.empty() ? args.working_directory() : ToUtf8(output.last_folder));
  exit.set_aborted(output.timed_out);
  if (output.timed_out) exit.set_abort_reason(pb::SHELL_ABORT_REASON_TIMEOUT);
  exit.set_local_execution_time_ms(Milliseconds(output));
  if (output.output_location) {
    FillLocation(*output.output_location, *exit.mutable_output_location());
  }
}

// A command that was killed at its timeout becomes a ShellFailure, since ShellTimeout has no field
// for its output.
void FillShell(const pb::ShellArgs& args, const ShellOutput& output, pb::ShellResult& result) {
  FillPolicyInForce(output.sandbox, *result.mutable_sandbox_policy());
  if (output.backgrounded) {
    FillEnd(args, output, *result.mutable_success());
    return FillBackgrounded(*output.backgrounded, result);
  }
  if (output.exit_code == 0 && output.signal.empty() && !output.timed_out) {
    return FillEnd(args, output, *result.mutable_success());
  }
  pb::ShellFailure& failure = *result.mutable_failure();
  FillEnd(args, output, failure);
  if (!output.timed_out) return;
  failure.set_aborted(true);
  failure.set_abort_reason(pb::SHELL_ABORT_REASON_TIMEOUT);
}

void FailShell(const pb::ShellArgs& args, const ExecFailure& failure, pb::ShellResult& result) {
  if (failure.refused()) return RejectCommand(args, failure, *result.mutable_rejected());
  if (failure.no_sandbox()) return FailCommand(args, failure, *result.mutable_permission_denied());
  FailCommand(args, failure, *result.mutable_spawn_error());
}

ExecResults FillShellStream(const pb::ExecServerMessage& exec, const ExecOutput& any_output,
                            StreamState state) {
  const auto* own = std::get_if<ShellOutput>(&any_output);
  if (own == nullptr) return {};
  const pb::ShellArgs& args = exec.shell_stream_args();
  const ShellOutput& output = *own;
  ExecResults results = ShellStreamOutput(output.out, output.err, state, output.sandbox);
  pb::ShellStream& end = *results.emplace_back().mutable_shell_stream();
  if (output.backgrounded) {
    FillBackgrounded(args, *output.backgrounded, *end.mutable_backgrounded());
  } else {
    FillExit(args, output, *end.mutable_exit());
  }
  return results;
}

ExecResults TellUnsupported(const pb::ShellArgs& args, const ExecFailure& failure) {
  ExecResults results(1);
  pb::ShellSandboxUnsupported& event =
      *results[0].mutable_shell_stream()->mutable_sandbox_unsupported();
  RejectCommand(args, failure, event);
  event.set_sandbox_policy_type(
      pb::SandboxPolicy::Type_Name(args.requested_sandbox_policy().type()));
  return results;
}

// A stream has no event for another failure, so it is sent like a command that was not found.
ExecResults FailShellStream(const pb::ExecServerMessage& exec, const ExecFailure& failure,
                            StreamState state) {
  const pb::ShellArgs& args = exec.shell_stream_args();
  constexpr uint32_t kNotRun = 127;
  if (failure.refused() && state == StreamState::kNew) {
    ExecResults results(1);
    RejectCommand(args, failure, *results[0].mutable_shell_stream()->mutable_rejected());
    return results;
  }
  if (failure.no_sandbox() && state == StreamState::kNew) return TellUnsupported(args, failure);
  ExecResults results;
  if (state == StreamState::kNew) results.emplace_back().mutable_shell_stream()->mutable_start();
  results.emplace_back().mutable_shell_stream()->mutable_stderr()->set_data(failure.text);
  pb::ShellStreamExit& exit = *results.emplace_back().mutable_shell_stream()->mutable_exit();
  exit.set_code(kNotRun);
  exit.set_cwd(args.working_directory());
  return results;
}

}  // namespace

ExecResults ShellStreamOutput(std::string_view out, std::string_view err, StreamState state,
                              const std::optional<SandboxPolicy>& sandbox) {
  ExecResults results;
  if (state == StreamState::kNew) {
    pb::ShellStreamStart& start = *results.emplace_back().mutable_shell_stream()->mutable_start();
    FillPolicyInForce(sandbox, *start.mutable_sandbox_policy());
  }
  if (!out.empty()) {
    results.emplace_back().mutable_shell_stream()->mutable_stdout()->set_data(ToUtf8(out));
  }
  if (!err.empty()) {
    results.emplace_back().mutable_shell_stream()->mutable_stderr()->set_data(ToUtf8(err));
  }
  return results;
}

const ExecKind kShellExec =
    MakeExecKind<ShellOutput, &pb::ExecServerMessage::shell_args,
                 &pb::ExecClientMessage::mutable_shell_result, ToShell, FillShell, FailShell>(
        pb::ExecServerMessage::kShellArgs);

const ExecKind kShellStreamExec{.message = pb::ExecServerMessage::kShellStreamArgs,
                                .to_args = ToStreamedShell,
                                .succeed = FillShellStream,
                                .fail = FailShellStream};

}  // namespace cursorwire::agent
