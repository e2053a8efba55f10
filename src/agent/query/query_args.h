#ifndef CURSORWIRE_SRC_AGENT_QUERY_QUERY_ARGS_H_
#define CURSORWIRE_SRC_AGENT_QUERY_QUERY_ARGS_H_

#include <optional>

#include "agent/v1/query.pb.h"
#include "cursorwire/query.h"

namespace cursorwire::agent {

// What the user is asked; nullopt: a question that is not known. Source: docs/protocol.md,
// interaction queries.
std::optional<QueryArgs> ToQueryArgs(const ::agent::v1::InteractionQuery& query);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_QUERY_QUERY_ARGS_H_
