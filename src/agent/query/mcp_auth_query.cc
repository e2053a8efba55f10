#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

McpAuthQuery ToMcpAuth(const pb::McpAuthRequestQuery& query) {
  return {.server = query.args().server_identifier(), .call_id = query.args().tool_call_id()};
}

}  // namespace

const QueryKind kMcpAuthQuery =
    MakeQueryKind<&pb::InteractionQuery::mcp_auth_request_query,
                  &pb::InteractionResponse::mutable_mcp_auth_request_response, ToMcpAuth,
                  (Approve<pb::McpAuthRequestQuery, pb::McpAuthRequestResponse>)>(
        pb::InteractionQuery::kMcpAuthRequestQuery);

}  // namespace cursorwire::agent
