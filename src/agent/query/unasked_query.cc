#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// Questions that no user is asked: those about the machine of an agent that runs elsewhere, and
// those that only old schemas have.
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

// The response cannot express a rejection: it says that there is nothing to do.
absl::Status AnswerSetupVm(const pb::InteractionQuery& /*query*/, const QueryAnswer& /*answer*/,
                           pb::InteractionResponse& response) {
  response.mutable_setup_vm_environment_result()->mutable_success();
  return absl::OkStatus();
}

absl::Status AnswerReplaceEnv(const pb::InteractionQuery& /*query*/, const QueryAnswer& answer,
                              pb::InteractionResponse& response) {
  response.mutable_replace_env_result()->mutable_failure()->set_error_message(ReasonOf(answer));
  return absl::OkStatus();
}

}  // namespace

const QueryKind kExaSearchQuery{.query = pb::InteractionQuery::kExaSearchRequestQuery,
                                .to_args = nullptr,
                                .answer = AnswerExaSearch};

const QueryKind kExaFetchQuery{.query = pb::InteractionQuery::kExaFetchRequestQuery,
                               .to_args = nullptr,
                               .answer = AnswerExaFetch};

const QueryKind kSetupVmQuery{.query = pb::InteractionQuery::kSetupVmEnvironmentArgs,
                              .to_args = nullptr,
                              .answer = AnswerSetupVm};

const QueryKind kReplaceEnvQuery{
    .query = pb::InteractionQuery::kReplaceEnvArgs, .to_args = nullptr, .answer = AnswerReplaceEnv};

}  // namespace cursorwire::agent
