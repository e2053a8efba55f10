#include "agent/exec.h"

#include <utility>

#include "agent/exec_failure.h"
#include "agent/exec_success.h"
#include "base/error.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using ClientMessages = std::vector<pb::AgentClientMessage>;

constexpr char kRefusal[] = "This client does not allow actions on the user's machine.";

ClientMessages Close(const pb::ExecServerMessage& exec, ClientMessages answers) {
  answers.emplace_back().mutable_exec_client_control_message()->mutable_stream_close()->set_id(
      exec.id());
  return answers;
}

ClientMessages Results(const pb::ExecServerMessage& exec,
                       std::vector<pb::ExecClientMessage> results) {
  ClientMessages answers;
  for (pb::ExecClientMessage& result : results) {
    result.set_id(exec.id());
    result.set_exec_id(exec.exec_id());
    *answers.emplace_back().mutable_exec_client_message() = std::move(result);
  }
  return Close(exec, std::move(answers));
}

ClientMessages Throw(const pb::ExecServerMessage& exec, const char* error) {
  ClientMessages answers(1);
  pb::ExecClientThrow& refusal =
      *answers[0].mutable_exec_client_control_message()->mutable_throw_();
  refusal.set_id(exec.id());
  refusal.set_error(error);
  return Close(exec, std::move(answers));
}

}  // namespace

ClientMessages AnswerExec(const pb::ExecServerMessage& exec,
                          const absl::StatusOr<ExecOutput>& output) {
  std::vector<pb::ExecClientMessage> results =
      output.ok() ? ExecSuccess(exec, *output) : ExecFailure(exec, output.status());
  if (results.empty()) return Throw(exec, "This client has no answer to this kind of action.");
  return Results(exec, std::move(results));
}

ClientMessages AnswerRequestContext(const pb::ExecServerMessage& exec,
                                    const pb::RequestContext& context) {
  std::vector<pb::ExecClientMessage> results(1);
  *results[0].mutable_request_context_result()->mutable_success()->mutable_request_context() =
      context;
  return Results(exec, std::move(results));
}

ClientMessages RefuseExec(const pb::ExecServerMessage& exec) {
  if (exec.has_mcp_args()) {
    const pb::McpArgs& call = exec.mcp_args();
    std::vector<pb::ExecClientMessage> results(1);
    results[0].mutable_mcp_result()->mutable_tool_not_found()->set_name(
        call.tool_name().empty() ? call.name() : call.tool_name());
    return Results(exec, std::move(results));
  }
  std::vector<pb::ExecClientMessage> results =
      ExecFailure(exec, LocalError(absl::StatusCode::kPermissionDenied, kRefusal));
  if (results.empty()) return Throw(exec, "This client does not know this kind of action.");
  return Results(exec, std::move(results));
}

}  // namespace cursorwire::agent
