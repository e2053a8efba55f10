#include "agent/exec/exec_kinds.h"
#include "agent/tools/tool_exec.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

void FillToolCall(const pb::McpArgs& /*args*/, const ToolResult& output, pb::McpResult& result) {
  result = ToMcpResult(output);
}

void FailToolCall(const pb::McpArgs& /*args*/, const ExecFailure& failure, pb::McpResult& result) {
  result = ToMcpResult(absl::Status(failure.code, failure.text));
}

constexpr ExecKind WithoutHandler(ExecKind kind) {
  kind.to_args = nullptr;  // RunExecs asks the tools of the request instead
  return kind;
}

ToolCall NoArgs(const pb::McpArgs& /*args*/) { return {}; }

}  // namespace

const ExecKind kToolCallExec = WithoutHandler(
    MakeExecKind<ToolResult, &pb::ExecServerMessage::mcp_args,
                 &pb::ExecClientMessage::mutable_mcp_result, NoArgs, FillToolCall, FailToolCall>(
        pb::ExecServerMessage::kMcpArgs));

}  // namespace cursorwire::agent
