#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_STARTOPTIONS_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_STARTOPTIONS_H_

#include <opentelemetry/common/timestamp.h>
#include <opentelemetry/trace/span_metadata.h>

namespace opentelemetry::trace {

// Without `parent`, which is not used.
struct StartSpanOptions {
  common::SystemTimestamp start_system_time{};
  common::SteadyTimestamp start_steady_time{};
  SpanKind kind = SpanKind::kInternal;
};

}  // namespace opentelemetry::trace

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_STARTOPTIONS_H_
