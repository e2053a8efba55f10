#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_TRACED_END_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_TRACED_END_H_

#include "cursorwire/script.h"
#include "cursorwire/trace_content.h"

namespace cursorwire::upstream {

// Adds the step that sends the response headers of the call, unless they are the usual ones.
void AddHeadSteps(const TraceCall& call, Script& script);

// Adds the steps that end the call as it ended. Where the trace does not know what the service did,
// the step has a comment.
void AddEndSteps(const TraceCall& call, Script& script);

// The connection refused the call: a channel has sent it twice, and would do so again.
bool WasRefusedTwice(const TraceCall& call);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_TRACED_END_H_
