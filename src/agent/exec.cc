#include "agent/exec.h"

#include <string>

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

constexpr char kReason[] = "This client does not allow actions on the user's machine.";

template <typename Args>
void RefuseShell(const Args& args, pb::ShellRejected& rejected) {
  rejected.set_command(args.command());
  rejected.set_working_directory(args.working_directory());
  rejected.set_reason(kReason);
}

template <typename Args, typename Rejected>
void RefusePath(const Args& args, Rejected& rejected) {
  rejected.set_path(args.path());
  rejected.set_reason(kReason);
}

// Fills in the typed result; false for a kind that has none here.
// One case a row of docs/protocol.md, execs: the result has the number of the arguments.
bool FillResult(const pb::ExecServerMessage& exec, pb::ExecClientMessage& result) {
  switch (exec.message_case()) {
    case pb::ExecServerMessage::kRequestContextArgs:
      // There is nothing to tell yet, and empty lists are accepted.
      result.mutable_request_context_result()->mutable_success()->mutable_request_context();
      return true;
    case pb::ExecServerMessage::kMcpArgs:
      result.mutable_mcp_result()->mutable_tool_not_found()->set_name(
          exec.mcp_args().tool_name().empty() ? exec.mcp_args().name()
                                              : exec.mcp_args().tool_name());
      return true;
    case pb::ExecServerMessage::kShellArgs:
      RefuseShell(exec.shell_args(), *result.mutable_shell_result()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kShellStreamArgs:
      RefuseShell(exec.shell_stream_args(), *result.mutable_shell_stream()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kBackgroundShellSpawnArgs:
      RefuseShell(exec.background_shell_spawn_args(),
                  *result.mutable_background_shell_spawn_result()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kWriteShellStdinArgs:
      result.mutable_write_shell_stdin_result()->mutable_error()->set_error(kReason);
      return true;
    case pb::ExecServerMessage::kReadArgs:
      RefusePath(exec.read_args(), *result.mutable_read_result()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kRedactedReadArgs:
      RefusePath(exec.redacted_read_args(),
                 *result.mutable_redacted_read_result()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kWriteArgs:
      RefusePath(exec.write_args(), *result.mutable_write_result()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kDeleteArgs:
      RefusePath(exec.delete_args(), *result.mutable_delete_result()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kGrepArgs:
      result.mutable_grep_result()->mutable_error()->set_error(kReason);
      return true;
    case pb::ExecServerMessage::kLsArgs:
      RefusePath(exec.ls_args(), *result.mutable_ls_result()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kDiagnosticsArgs:
      RefusePath(exec.diagnostics_args(), *result.mutable_diagnostics_result()->mutable_rejected());
      return true;
    case pb::ExecServerMessage::kFetchArgs: {
      pb::FetchError& error = *result.mutable_fetch_result()->mutable_error();
      error.set_url(exec.fetch_args().url());
      error.set_error(kReason);
      return true;
    }
    case pb::ExecServerMessage::kListMcpResourcesExecArgs:
      result.mutable_list_mcp_resources_exec_result()->mutable_rejected()->set_reason(kReason);
      return true;
    case pb::ExecServerMessage::kReadMcpResourceExecArgs: {
      pb::ReadMcpResourceRejected& rejected =
          *result.mutable_read_mcp_resource_exec_result()->mutable_rejected();
      rejected.set_uri(exec.read_mcp_resource_exec_args().uri());
      rejected.set_reason(kReason);
      return true;
    }
    case pb::ExecServerMessage::kRecordScreenArgs:
      result.mutable_record_screen_result()->mutable_failure()->set_error(kReason);
      return true;
    case pb::ExecServerMessage::kComputerUseArgs:
      result.mutable_computer_use_result()->mutable_error()->set_error(kReason);
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<pb::AgentClientMessage> AnswerExec(const pb::ExecServerMessage& exec) {
  std::vector<pb::AgentClientMessage> answers(2);
  pb::ExecClientMessage result;
  if (FillResult(exec, result)) {
    result.set_id(exec.id());
    result.set_exec_id(exec.exec_id());
    *answers[0].mutable_exec_client_message() = std::move(result);
  } else {
    // An empty or guessed result could look like a success.
    pb::ExecClientThrow& refusal =
        *answers[0].mutable_exec_client_control_message()->mutable_throw_();
    refusal.set_id(exec.id());
    refusal.set_error("This client does not know this kind of action.");
  }
  answers[1].mutable_exec_client_control_message()->mutable_stream_close()->set_id(exec.id());
  return answers;
}

}  // namespace cursorwire::agent
