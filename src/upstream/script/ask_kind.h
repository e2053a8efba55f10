#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_KIND_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_KIND_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "agent/events/oneof_case.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

using agent::OneofCase;

// What an exec or a query asks for: the name of the field in its oneof, "read_args" for example; ""
// if no schema knows it.
std::string AskedKind(const Ask& ask);

// Whether a result of this name can answer what was asked: "read_result" answers "read_args".
// Source: docs/protocol.md, execs and interaction queries.
bool IsAnswerTo(std::string_view asked, std::string_view result);

// Whether an answer of the right kind can match the `expect` of an exec or a query.
//   kInvalidArgument  none can: it names the result of another kind, or asks for several results of
//                     what has one. The message says what it should be.
absl::Status CheckExpectedKind(const Ask& ask);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_KIND_H_
