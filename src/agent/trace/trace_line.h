#ifndef CURSORWIRE_SRC_AGENT_TRACE_TRACE_LINE_H_
#define CURSORWIRE_SRC_AGENT_TRACE_TRACE_LINE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "cursorwire/connect/error_info.h"
#include "cursorwire/trace_content.h"

namespace cursorwire::agent {

// The lines of a trace, each one JSON object with its line break. docs/traces.md has the format;
// ParseTrace() reads it.

// The member of the first line that says what the file is, and its value.
inline constexpr std::string_view kTraceFormat = "cursorwire_trace";
inline constexpr int64_t kTraceVersion = 1;

// The first line of each file of a trace. All files of one trace have the same start.
std::string TraceFirstLine(int64_t start_unix_us);
// What the first line of every version begins with.
bool BeginsLikeTrace(std::string_view bytes);

// The start of a call, without what follows it. `is_continued` is for a file that begins within the
// call.
std::string TraceLineOf(const TraceCall& call);
std::string TraceLineOf(uint64_t call, const TraceHead& head);
std::string TraceLineOf(uint64_t call, const TraceMessage& message);
std::string TraceLineOf(uint64_t call, const TraceEnd& end);

// "streaming", "unary" or "raw".
std::string_view TraceKindText(connect::CallKind kind);
// "server", "transport", "protocol" or "local".
std::string_view TraceOriginText(connect::ErrorOrigin origin);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TRACE_TRACE_LINE_H_
