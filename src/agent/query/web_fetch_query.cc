#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

WebFetchQuery ToWebFetch(const pb::WebFetchRequestQuery& query) {
  return {.url = query.args().url(), .call_id = query.args().tool_call_id()};
}

}  // namespace

const QueryKind kWebFetchQuery =
    MakeQueryKind<&pb::InteractionQuery::web_fetch_request_query,
                  &pb::InteractionResponse::mutable_web_fetch_request_response, ToWebFetch,
                  (Approve<pb::WebFetchRequestQuery, pb::WebFetchRequestResponse>)>(
        pb::InteractionQuery::kWebFetchRequestQuery);

}  // namespace cursorwire::agent
