#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// Only old schemas have these questions. No user is asked.
absl::Status AnswerExaSearch(const pb::InteractionQuery& query, const QueryAnswer& answer,
                             pb::InteractionResponse& response) {
  Approve(query, answer, *response.mutable_exa_search_request_response());
  return absl::OkStatus();
}

absl::Status AnswerExaFetch(const pb::InteractionQuery& query, const QueryAnswer& answer,
                            pb::InteractionResponse& response) {
  Approve(query, answer, *response.mutable_exa_fetch_request_response());
  return absl::OkStatus();
}

}  // namespace

const QueryKind kExaSearchQuery{.query = pb::InteractionQuery::kExaSearchRequestQuery,
                                .to_args = nullptr,
                                .answer = AnswerExaSearch};

const QueryKind kExaFetchQuery{.query = pb::InteractionQuery::kExaFetchRequestQuery,
                               .to_args = nullptr,
                               .answer = AnswerExaFetch};

}  // namespace cursorwire::agent
