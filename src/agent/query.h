#ifndef CURSORWIRE_SRC_AGENT_QUERY_H_
#define CURSORWIRE_SRC_AGENT_QUERY_H_

#include <absl/status/statusor.h>

#include "agent/v1/run.pb.h"

namespace cursorwire::agent {

// Answers a question of the server in place of a user: no to each, in the form the protocol has for
// it. Source: docs/protocol.md, interaction queries.
//   kUnimplemented  a question that is not known: whatever is answered could be read as a yes
absl::StatusOr<::agent::v1::AgentClientMessage> AnswerQuery(
    const ::agent::v1::InteractionQuery& query);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_QUERY_H_
