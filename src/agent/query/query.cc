#include "agent/query/query.h"

#include <absl/strings/str_cat.h>

#include "agent/query/query_kinds.h"
#include "base/error.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using Query = pb::InteractionQuery;

constexpr char kReason[] = "There is no user to ask.";

}  // namespace

std::optional<QueryArgs> ToQueryArgs(const Query& query) {
  const QueryKind* kind = FindQueryKind(query.query_case());
  if (kind == nullptr || kind->to_args == nullptr) return std::nullopt;
  return kind->to_args(query);
}

absl::StatusOr<pb::AgentClientMessage> AnswerQuery(const Query& query,
                                                   const absl::StatusOr<QueryOutput>& output) {
  const QueryKind* kind = FindQueryKind(query.query_case());
  if (kind == nullptr) {
    return LocalError(absl::StatusCode::kUnimplemented,
                      absl::StrCat("the server asked interaction query ", query.id(),
                                   ", of a kind that this client does not know"));
  }
  pb::AgentClientMessage answer;
  // The answer carries the id of the question.
  pb::InteractionResponse& response = *answer.mutable_interaction_response();
  response.set_id(query.id());
  if (absl::Status status = kind->answer(query, output, response); !status.ok()) return status;
  return answer;
}

absl::StatusOr<pb::AgentClientMessage> AnswerQuery(const Query& query) {
  return AnswerQuery(query, LocalError(absl::StatusCode::kPermissionDenied, kReason));
}

}  // namespace cursorwire::agent
