#ifndef CURSORWIRE_SRC_AGENT_QUERY_QUERY_H_
#define CURSORWIRE_SRC_AGENT_QUERY_QUERY_H_

#include <absl/status/statusor.h>

#include <optional>

#include "agent/v1/run.pb.h"
#include "cursorwire/query.h"

namespace cursorwire::agent {

// The wire form of the server's questions. Source: docs/protocol.md, interaction queries.

// What the user is asked; nullopt: a question that is not known, or that no user is asked.
std::optional<QueryArgs> ToQueryArgs(const ::agent::v1::InteractionQuery& query);

// What the user said, in the type that belongs to the question. A status says no, and its message
// is the reason; so does an output that is none of the question's.
//   kUnimplemented  a question that is not known: whatever is answered could be read as a yes
//   any code        the status of an answer to setup_vm_environment_args, which has no form for
//                   a no
absl::StatusOr<::agent::v1::AgentClientMessage> AnswerQuery(
    const ::agent::v1::InteractionQuery& query, const absl::StatusOr<QueryOutput>& output);

// In place of a user: no to each, but for setup_vm_environment_args, where there is nothing to do.
absl::StatusOr<::agent::v1::AgentClientMessage> AnswerQuery(
    const ::agent::v1::InteractionQuery& query);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_QUERY_QUERY_H_
