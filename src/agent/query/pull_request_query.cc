#include <google/protobuf/util/json_util.h>

#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

PullRequestQuery ToPullRequest(const pb::PrManagementRequestQuery& asked) {
  const pb::PrManagementArgs& args = asked.args();
  PullRequestQuery query{.creates = args.has_create_pr(), .call_id = args.tool_call_id()};
  // This cannot fail: the message was just parsed.
  if (query.creates) {
    (void)google::protobuf::util::MessageToJsonString(args.create_pr(), &query.details_json);
  } else {
    (void)google::protobuf::util::MessageToJsonString(args.update_pr(), &query.details_json);
  }
  return query;
}

void AnswerPullRequest(const pb::PrManagementRequestQuery& /*query*/, const QueryAnswer& answer,
                       pb::PrManagementResult& result) {
  const auto* yes = YesOf<PullRequestDone>(answer);
  if (yes == nullptr) return result.mutable_rejected()->set_reason(ReasonOf(answer));
  result.mutable_success()->set_pr_url(ToUtf8(yes->url));
  result.mutable_success()->set_pr_number(yes->number);
  result.mutable_success()->set_message(ToUtf8(yes->message));
}

}  // namespace

const QueryKind kPullRequestQuery =
    MakeQueryKind<&pb::InteractionQuery::pr_management_request_query,
                  &pb::InteractionResponse::mutable_pr_management_result, ToPullRequest,
                  AnswerPullRequest>(pb::InteractionQuery::kPrManagementRequestQuery);

}  // namespace cursorwire::agent
