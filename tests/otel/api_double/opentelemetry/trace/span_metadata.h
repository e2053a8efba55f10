#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_METADATA_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_METADATA_H_

#include <opentelemetry/common/timestamp.h>

namespace opentelemetry::trace {

enum class SpanKind { kInternal, kServer, kClient, kProducer, kConsumer };

enum class StatusCode { kUnset, kOk, kError };

struct EndSpanOptions {
  common::SteadyTimestamp end_steady_time{};
};

}  // namespace opentelemetry::trace

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_METADATA_H_
