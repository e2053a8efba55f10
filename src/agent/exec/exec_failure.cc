#include "agent/exec/exec_failure.h"

#include <string>

#include "agent/tools/tool_exec.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using Server = pb::ExecServerMessage;
using Results = std::vector<pb::ExecClientMessage>;

// What a handler's status means on the wire.
struct Failure {
  absl::StatusCode code;
  std::string text;

  bool refused() const { return code == absl::StatusCode::kPermissionDenied; }
  bool not_found() const { return code == absl::StatusCode::kNotFound; }
  bool wrong_file() const { return code == absl::StatusCode::kInvalidArgument; }
};

template <typename Args, typename Rejected>
void RejectShell(const Args& args, const Failure& failure, Rejected& rejected) {
  rejected.set_command(args.command());
  rejected.set_working_directory(args.working_directory());
  rejected.set_reason(failure.text);
}

template <typename Args, typename Error>
void FailShell(const Args& args, const Failure& failure, Error& error) {
  error.set_command(args.command());
  error.set_working_directory(args.working_directory());
  error.set_error(failure.text);
}

template <typename Rejected>
void RejectPath(const std::string& path, const Failure& failure, Rejected& rejected) {
  rejected.set_path(path);
  rejected.set_reason(failure.text);
}

template <typename Error>
void FailPath(const std::string& path, const Failure& failure, Error& error) {
  error.set_path(path);
  error.set_error(failure.text);
}

void Read(const std::string& path, const Failure& failure, pb::ReadResult& result) {
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  if (failure.not_found()) return result.mutable_file_not_found()->set_path(path);
  if (failure.wrong_file()) return RejectPath(path, failure, *result.mutable_invalid_file());
  FailPath(path, failure, *result.mutable_error());
}

void Ls(const std::string& path, const Failure& failure, pb::LsResult& result) {
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  FailPath(path, failure, *result.mutable_error());
}

void Write(const std::string& path, const Failure& failure, pb::WriteResult& result) {
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  if (failure.code == absl::StatusCode::kResourceExhausted) {
    return result.mutable_no_space()->set_path(path);
  }
  FailPath(path, failure, *result.mutable_error());
}

void Delete(const std::string& path, const Failure& failure, pb::DeleteResult& result) {
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  if (failure.not_found()) return result.mutable_file_not_found()->set_path(path);
  if (failure.wrong_file()) {
    result.mutable_not_file()->set_path(path);
    return result.mutable_not_file()->set_actual_type(failure.text);
  }
  FailPath(path, failure, *result.mutable_error());
}

void Diagnostics(const std::string& path, const Failure& failure, pb::DiagnosticsResult& result) {
  if (failure.refused()) return RejectPath(path, failure, *result.mutable_rejected());
  if (failure.not_found()) return result.mutable_file_not_found()->set_path(path);
  FailPath(path, failure, *result.mutable_error());
}

void Shell(const pb::ShellArgs& args, const Failure& failure, pb::ShellResult& result) {
  if (failure.refused()) return RejectShell(args, failure, *result.mutable_rejected());
  FailShell(args, failure, *result.mutable_spawn_error());
}

// A stream has no event for a failure: it is told as a command that was not found would be.
Results ShellStream(const pb::ShellArgs& args, const Failure& failure, StreamState state) {
  constexpr uint32_t kNotRun = 127;
  if (failure.refused() && state == StreamState::kNew) {
    Results results(1);
    RejectShell(args, failure, *results[0].mutable_shell_stream()->mutable_rejected());
    return results;
  }
  Results results;
  if (state == StreamState::kNew) results.emplace_back().mutable_shell_stream()->mutable_start();
  results.emplace_back().mutable_shell_stream()->mutable_stderr()->set_data(failure.text);
  pb::ShellStreamExit& exit = *results.emplace_back().mutable_shell_stream()->mutable_exit();
  exit.set_code(kNotRun);
  exit.set_cwd(args.working_directory());
  return results;
}

void BackgroundShell(const pb::BackgroundShellSpawnArgs& args, const Failure& failure,
                     pb::BackgroundShellSpawnResult& result) {
  if (failure.refused()) return RejectShell(args, failure, *result.mutable_rejected());
  FailShell(args, failure, *result.mutable_error());
}

void ListMcpResources(const Failure& failure, pb::ListMcpResourcesExecResult& result) {
  if (failure.refused()) return result.mutable_rejected()->set_reason(failure.text);
  result.mutable_error()->set_error(failure.text);
}

void ReadMcpResource(const std::string& uri, const Failure& failure,
                     pb::ReadMcpResourceExecResult& result) {
  if (failure.not_found()) return result.mutable_not_found()->set_uri(uri);
  if (failure.refused()) {
    result.mutable_rejected()->set_uri(uri);
    return result.mutable_rejected()->set_reason(failure.text);
  }
  result.mutable_error()->set_uri(uri);
  result.mutable_error()->set_error(failure.text);
}

// False for a kind that has no type for a failure. One case a row of docs/protocol.md, execs.
bool FillFailure(const Server& exec, const Failure& failure, pb::ExecClientMessage& result) {
  switch (exec.message_case()) {
    case Server::kReadArgs:
      Read(exec.read_args().path(), failure, *result.mutable_read_result());
      return true;
    case Server::kRedactedReadArgs:
      Read(exec.redacted_read_args().path(), failure, *result.mutable_redacted_read_result());
      return true;
    case Server::kLsArgs:
      Ls(exec.ls_args().path(), failure, *result.mutable_ls_result());
      return true;
    case Server::kGrepArgs:
      result.mutable_grep_result()->mutable_error()->set_error(failure.text);
      return true;
    case Server::kWriteArgs:
      Write(exec.write_args().path(), failure, *result.mutable_write_result());
      return true;
    case Server::kDeleteArgs:
      Delete(exec.delete_args().path(), failure, *result.mutable_delete_result());
      return true;
    case Server::kDiagnosticsArgs:
      Diagnostics(exec.diagnostics_args().path(), failure, *result.mutable_diagnostics_result());
      return true;
    case Server::kMcpArgs:
      *result.mutable_mcp_result() = ToMcpResult(absl::Status(failure.code, failure.text));
      return true;
    case Server::kShellArgs:
      Shell(exec.shell_args(), failure, *result.mutable_shell_result());
      return true;
    case Server::kBackgroundShellSpawnArgs:
      BackgroundShell(exec.background_shell_spawn_args(), failure,
                      *result.mutable_background_shell_spawn_result());
      return true;
    case Server::kWriteShellStdinArgs:
      result.mutable_write_shell_stdin_result()->mutable_error()->set_error(failure.text);
      return true;
    case Server::kFetchArgs:
      result.mutable_fetch_result()->mutable_error()->set_url(exec.fetch_args().url());
      result.mutable_fetch_result()->mutable_error()->set_error(failure.text);
      return true;
    case Server::kListMcpResourcesExecArgs:
      ListMcpResources(failure, *result.mutable_list_mcp_resources_exec_result());
      return true;
    case Server::kReadMcpResourceExecArgs:
      ReadMcpResource(exec.read_mcp_resource_exec_args().uri(), failure,
                      *result.mutable_read_mcp_resource_exec_result());
      return true;
    case Server::kRecordScreenArgs:
      result.mutable_record_screen_result()->mutable_failure()->set_error(failure.text);
      return true;
    case Server::kComputerUseArgs:
      result.mutable_computer_use_result()->mutable_error()->set_error(failure.text);
      return true;
    default:
      return false;
  }
}

}  // namespace

Results ExecFailure(const Server& exec, const absl::Status& status, StreamState state) {
  const Failure failure{.code = status.code(), .text = ToUtf8(std::string(status.message()))};
  if (exec.has_shell_stream_args()) return ShellStream(exec.shell_stream_args(), failure, state);
  Results results(1);
  if (!FillFailure(exec, failure, results[0])) results.clear();
  return results;
}

}  // namespace cursorwire::agent
