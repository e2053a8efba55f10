#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_KIND_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_KIND_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "agent/events/oneof_case.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

using agent::OneofCase;

// The name of the oneof field of an exec or a query, such as "read_args"; "" if no schema knows it.
std::string AskedKind(const Ask& ask);

// Whether a result with this name can answer that question: "read_result" answers "read_args".
// Source: docs/protocol.md, execs and interaction queries.
bool IsAnswerTo(std::string_view asked, std::string_view result);

// Whether a right answer can match the `expect` of an exec or a query.
//   kInvalidArgument  no answer can: `expect` names a result of another kind, or several results
//                     for a kind that has only one. The message says what is possible.
absl::Status CheckExpectedKind(const Ask& ask);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_KIND_H_
