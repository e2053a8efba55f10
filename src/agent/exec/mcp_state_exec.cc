#include "agent/exec/exec_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

ExecResults FailMcpState(const pb::ExecServerMessage& /*exec*/, const ExecFailure& failure,
                         StreamState /*state*/) {
  ExecResults results(1);
  pb::McpStateExecResult& result = *results[0].mutable_mcp_state_exec_result();
  if (failure.refused()) {
    result.mutable_rejected()->set_reason(failure.text);
  } else {
    result.mutable_error()->set_error(failure.text);
  }
  return results;
}

}  // namespace

const ExecKind kMcpStateExec = {.message = pb::ExecServerMessage::kMcpStateExecArgs,
                                .to_args = nullptr,  // RunExecs asks the tools of the request
                                .succeed = NoOutput,
                                .fail = FailMcpState};

}  // namespace cursorwire::agent
