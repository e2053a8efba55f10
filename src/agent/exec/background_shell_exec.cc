#include "agent/exec/exec_kinds.h"
#include "agent/exec/sandbox_policy.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

BackgroundShellArgs ToBackgroundShell(const pb::BackgroundShellSpawnArgs& args) {
  return {.command = args.command(),
          .working_directory = args.working_directory(),
          .sandbox = ToRequestedSandbox(args.sandbox_policy())};
}

void FillBackgroundShell(const pb::BackgroundShellSpawnArgs& args,
                         const BackgroundShellOutput& output,
                         pb::BackgroundShellSpawnResult& result) {
  pb::BackgroundShellSpawnSuccess& success = *result.mutable_success();
  success.set_shell_id(output.shell_id);
  success.set_command(args.command());
  success.set_working_directory(args.working_directory());
  if (output.process_id) success.set_pid(*output.process_id);
}

void FailBackgroundShell(const pb::BackgroundShellSpawnArgs& args, const ExecFailure& failure,
                         pb::BackgroundShellSpawnResult& result) {
  if (failure.refused()) return RejectCommand(args, failure, *result.mutable_rejected());
  if (failure.no_sandbox()) return FailCommand(args, failure, *result.mutable_permission_denied());
  FailCommand(args, failure, *result.mutable_error());
}

}  // namespace

const ExecKind kBackgroundShellExec =
    MakeExecKind<BackgroundShellOutput, &pb::ExecServerMessage::background_shell_spawn_args,
                 &pb::ExecClientMessage::mutable_background_shell_spawn_result, ToBackgroundShell,
                 FillBackgroundShell, FailBackgroundShell>(
        pb::ExecServerMessage::kBackgroundShellSpawnArgs);

}  // namespace cursorwire::agent
