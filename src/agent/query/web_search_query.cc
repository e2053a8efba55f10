#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

WebSearchQuery ToWebSearch(const pb::WebSearchRequestQuery& query) {
  return {.search_term = query.args().search_term(), .call_id = query.args().tool_call_id()};
}

}  // namespace

const QueryKind kWebSearchQuery =
    MakeQueryKind<&pb::InteractionQuery::web_search_request_query,
                  &pb::InteractionResponse::mutable_web_search_request_response, ToWebSearch,
                  (Approve<pb::WebSearchRequestQuery, pb::WebSearchRequestResponse>)>(
        pb::InteractionQuery::kWebSearchRequestQuery);

}  // namespace cursorwire::agent
