// Room: src/agent/trace
#ifndef CURSORWIRE_TRACE_CONTENT_H_
#define CURSORWIRE_TRACE_CONTENT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/export.h"

namespace cursorwire {

// What the file of a Trace (trace.h) says, as values. docs/traces.md has the format.

enum class TraceSide { kClient, kServer };

// One message of a call, without envelope and compression.
struct TraceMessage {
  std::chrono::microseconds at{0};  // since the start of the call
  TraceSide from = TraceSide::kClient;
  uint64_t size = 0;  // of the message itself
  std::string bytes{};
  bool is_cut = false;  // `bytes` are only its first ones

  friend bool operator==(const TraceMessage&, const TraceMessage&) = default;
};

struct TraceHead {
  std::chrono::microseconds at{0};
  int http_status = 0;
  connect::Headers headers{};

  friend bool operator==(const TraceHead&, const TraceHead&) = default;
};

struct TraceEnd {
  std::chrono::microseconds at{0};
  absl::Status status{};  // with its connect::ErrorInfo
  connect::Headers trailers{};

  friend bool operator==(const TraceEnd&, const TraceEnd&) = default;
};

struct TraceCall {
  uint64_t number = 0;  // counts the calls of a trace, from 1
  std::string path{};   // such as "/agent.v1.AgentService/Run", without a query
  connect::CallKind kind = connect::CallKind::kStreaming;
  int64_t start_unix_us = 0;  // microseconds since 1970, UTC
  // It began in an older file of the trace: its headers and first messages are missing.
  bool is_continued = false;
  connect::Headers headers{};  // of the request; what is secret is "(redacted)"
  std::optional<TraceHead> head{};
  std::vector<TraceMessage> messages{};  // of both sides, in order
  std::optional<TraceEnd> end{};         // nullopt: the trace ends before the call

  friend bool operator==(const TraceCall&, const TraceCall&) = default;
};

struct TraceContent {
  std::vector<TraceCall> calls{};  // in the order of their starts
  // The last line is incomplete, as after a process that was killed; it is left out.
  bool is_cut = false;

  friend bool operator==(const TraceContent&, const TraceContent&) = default;
};

// Reads the lines of a trace, or of its files one after the other, the oldest first. They are a
// stranger's bytes. What a newer library adds to a line of this version is ignored.
//   kDataLoss       not a trace, or a damaged one; the message names the line and what is wrong
//   kUnimplemented  a newer version of the format
CURSORWIRE_EXPORT absl::StatusOr<TraceContent> ParseTrace(std::string_view text);

// A call as text for a person: its headers, then each message with its time, size, and a mark that
// shows when in the call it came, as a tree of its fields. Long texts are cut, with their length;
// control characters are escaped. Ends in a line break.
CURSORWIRE_EXPORT std::string DescribeTraceCall(const TraceCall& call);

}  // namespace cursorwire

#endif  // CURSORWIRE_TRACE_CONTENT_H_
