#include "agent/exec/exec_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

WriteShellStdinArgs ToShellStdin(const pb::WriteShellStdinArgs& args) {
  return {.shell_id = args.shell_id(), .chars = args.chars()};
}

void FillShellStdin(const pb::WriteShellStdinArgs& args, const WriteShellStdinOutput& output,
                    pb::WriteShellStdinResult& result) {
  result.mutable_success()->set_shell_id(args.shell_id());
  result.mutable_success()->set_terminal_file_length_before_input_written(
      output.output_bytes_before);
}

}  // namespace

const ExecKind kShellStdinExec =
    MakeExecKind<WriteShellStdinOutput, &pb::ExecServerMessage::write_shell_stdin_args,
                 &pb::ExecClientMessage::mutable_write_shell_stdin_result, ToShellStdin,
                 FillShellStdin,
                 (FailWithError<pb::WriteShellStdinArgs, pb::WriteShellStdinResult>)>(
        pb::ExecServerMessage::kWriteShellStdinArgs);

}  // namespace cursorwire::agent
