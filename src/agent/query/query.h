#ifndef CURSORWIRE_SRC_AGENT_QUERY_QUERY_H_
#define CURSORWIRE_SRC_AGENT_QUERY_QUERY_H_

#include <absl/status/statusor.h>

#include <optional>

#include "agent/v1/run.pb.h"
#include "cursorwire/query.h"

namespace cursorwire::agent {

// The wire form of the server's questions. Source: docs/protocol.md, interaction queries.

// What to ask the user; nullopt: an unknown question, or a kind that is never asked of a user.
std::optional<QueryArgs> ToQueryArgs(const ::agent::v1::InteractionQuery& query);

// The user's answer, in the response type of the question. A status rejects, with its message as
// the reason; so does an output of another kind.
//   kUnimplemented  an unknown question: any answer could be read as an approval
//   any code        the status in `answer`, for setup_vm_environment_args: its response cannot
//                   reject
absl::StatusOr<::agent::v1::AgentClientMessage> AnswerQuery(
    const ::agent::v1::InteractionQuery& query, const absl::StatusOr<QueryOutput>& output);

// Answers without a user: rejects everything except setup_vm_environment_args, which needs nothing
// done.
absl::StatusOr<::agent::v1::AgentClientMessage> AnswerQuery(
    const ::agent::v1::InteractionQuery& query);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_QUERY_QUERY_H_
