#include "agent/exec_success_fill.h"

#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// What a shell adds to the number of the signal.
constexpr uint32_t kKilled = 128;

// ShellSuccess and ShellFailure have these in common.
template <typename Result>
void FillEnd(const pb::ShellArgs& args, const ShellOutput& output, Result& result) {
  result.set_command(args.command());
  result.set_working_directory(args.working_directory());
  result.set_exit_code(output.exit_code);
  result.set_signal(ToUtf8(output.signal));
  result.set_stdout(ToUtf8(output.out));
  result.set_stderr(ToUtf8(output.err));
  result.set_execution_time(static_cast<int32_t>(output.duration.count()));
}

}  // namespace

void Fill(const pb::ShellArgs& args, const ShellOutput& output, pb::ShellResult& result) {
  if (output.timed_out) {
    pb::ShellTimeout& timeout = *result.mutable_timeout();
    timeout.set_command(args.command());
    timeout.set_working_directory(args.working_directory());
    return timeout.set_timeout_ms(static_cast<int32_t>(output.duration.count()));
  }
  if (output.exit_code == 0 && output.signal.empty()) {
    return FillEnd(args, output, *result.mutable_success());
  }
  FillEnd(args, output, *result.mutable_failure());
}

std::vector<pb::ExecClientMessage> StreamOutput(std::string_view out, std::string_view err,
                                                StreamState state) {
  std::vector<pb::ExecClientMessage> results;
  if (state == StreamState::kNew) results.emplace_back().mutable_shell_stream()->mutable_start();
  if (!out.empty()) {
    results.emplace_back().mutable_shell_stream()->mutable_stdout()->set_data(ToUtf8(out));
  }
  if (!err.empty()) {
    results.emplace_back().mutable_shell_stream()->mutable_stderr()->set_data(ToUtf8(err));
  }
  return results;
}

std::vector<pb::ExecClientMessage> StreamEvents(const pb::ShellArgs& args,
                                                const ShellOutput& output, StreamState state) {
  std::vector<pb::ExecClientMessage> results = StreamOutput(output.out, output.err, state);
  pb::ShellStreamExit& exit = *results.emplace_back().mutable_shell_stream()->mutable_exit();
  // The event has no place for a signal, and 0 would read as a success.
  const bool killed = !output.signal.empty() && output.exit_code == 0;
  exit.set_code(killed ? kKilled : static_cast<uint32_t>(output.exit_code));
  exit.set_cwd(args.working_directory());
  exit.set_aborted(output.timed_out);
  if (output.timed_out) exit.set_abort_reason(pb::SHELL_ABORT_REASON_TIMEOUT);
  exit.set_local_execution_time_ms(static_cast<int32_t>(output.duration.count()));
  return results;
}

void Fill(const pb::BackgroundShellSpawnArgs& args, const BackgroundShellOutput& output,
          pb::BackgroundShellSpawnResult& result) {
  pb::BackgroundShellSpawnSuccess& success = *result.mutable_success();
  success.set_shell_id(output.shell_id);
  success.set_command(args.command());
  success.set_working_directory(args.working_directory());
  if (output.process_id) success.set_pid(*output.process_id);
}

void Fill(const pb::WriteShellStdinArgs& args, const WriteShellStdinOutput& output,
          pb::WriteShellStdinResult& result) {
  result.mutable_success()->set_shell_id(args.shell_id());
  result.mutable_success()->set_terminal_file_length_before_input_written(
      output.output_bytes_before);
}

}  // namespace cursorwire::agent
