// Room: src/upstream/script
#ifndef CURSORWIRE_TRACE_SCRIPT_H_
#define CURSORWIRE_TRACE_SCRIPT_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "cursorwire/export.h"
#include "cursorwire/script.h"
#include "cursorwire/trace_content.h"

namespace cursorwire {

struct TraceScripts {
  // One for each call of AgentService/Run, in the order of their starts; two for one that was
  // refused by the connection, since a channel sends such a call once more.
  std::vector<Script> scripts{};
  // For each call that is left out: why.
  std::vector<std::string> omitted{};
};

// Makes scripts of a trace: a LocalUpstream that plays them does to the same client what the
// service did. The messages of the service are the same, and come in the same order; what it asked
// must be answered again, by whatever the client answers then; times between messages are not kept.
// How a call ended is the same as far as the trace knows: docs/traces.md says what is approximate.
//   kNotFound  no call of the trace can be played; the message says why
CURSORWIRE_EXPORT absl::StatusOr<TraceScripts> ScriptsOfTrace(const TraceContent& trace);

}  // namespace cursorwire

#endif  // CURSORWIRE_TRACE_SCRIPT_H_
