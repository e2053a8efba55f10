#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

ListMcpResourcesArgs ToListMcpResources(const pb::ListMcpResourcesExecArgs& args) {
  return {.server = args.server()};
}

void FillListMcpResources(const pb::ListMcpResourcesExecArgs& /*args*/,
                          const ListMcpResourcesOutput& output,
                          pb::ListMcpResourcesExecResult& result) {
  pb::ListMcpResourcesSuccess& success = *result.mutable_success();
  for (const McpResource& resource : output.resources) {
    auto& entry = *success.add_resources();
    entry.set_uri(ToUtf8(resource.uri));
    if (!resource.name.empty()) entry.set_name(ToUtf8(resource.name));
    if (!resource.description.empty()) entry.set_description(ToUtf8(resource.description));
    if (!resource.mime_type.empty()) entry.set_mime_type(ToUtf8(resource.mime_type));
    entry.set_server(ToUtf8(resource.server));
  }
}

void FailListMcpResources(const pb::ListMcpResourcesExecArgs& /*args*/, const ExecFailure& failure,
                          pb::ListMcpResourcesExecResult& result) {
  if (failure.refused()) return result.mutable_rejected()->set_reason(failure.text);
  result.mutable_error()->set_error(failure.text);
}

}  // namespace

const ExecKind kListMcpResourcesExec =
    MakeExecKind<ListMcpResourcesOutput, &pb::ExecServerMessage::list_mcp_resources_exec_args,
                 &pb::ExecClientMessage::mutable_list_mcp_resources_exec_result, ToListMcpResources,
                 FillListMcpResources, FailListMcpResources>(
        pb::ExecServerMessage::kListMcpResourcesExecArgs);

}  // namespace cursorwire::agent
