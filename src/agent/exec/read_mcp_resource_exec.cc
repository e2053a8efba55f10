#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

ReadMcpResourceArgs ToReadMcpResource(const pb::ReadMcpResourceExecArgs& args) {
  return {.server = args.server(), .uri = args.uri()};
}

void FillReadMcpResource(const pb::ReadMcpResourceExecArgs& args,
                         const ReadMcpResourceOutput& output,
                         pb::ReadMcpResourceExecResult& result) {
  pb::ReadMcpResourceSuccess& success = *result.mutable_success();
  success.set_uri(args.uri());
  if (!output.mime_type.empty()) success.set_mime_type(ToUtf8(output.mime_type));
  if (output.is_text && IsUtf8(output.content)) {
    success.set_text(output.content);
  } else {
    success.set_blob(output.content);
  }
}

void FailReadMcpResource(const pb::ReadMcpResourceExecArgs& args, const ExecFailure& failure,
                         pb::ReadMcpResourceExecResult& result) {
  const std::string& uri = args.uri();
  if (failure.not_found()) return result.mutable_not_found()->set_uri(uri);
  if (failure.refused()) {
    result.mutable_rejected()->set_uri(uri);
    return result.mutable_rejected()->set_reason(failure.text);
  }
  result.mutable_error()->set_uri(uri);
  result.mutable_error()->set_error(failure.text);
}

}  // namespace

const ExecKind kReadMcpResourceExec =
    MakeExecKind<ReadMcpResourceOutput, &pb::ExecServerMessage::read_mcp_resource_exec_args,
                 &pb::ExecClientMessage::mutable_read_mcp_resource_exec_result, ToReadMcpResource,
                 FillReadMcpResource, FailReadMcpResource>(
        pb::ExecServerMessage::kReadMcpResourceExecArgs);

}  // namespace cursorwire::agent
