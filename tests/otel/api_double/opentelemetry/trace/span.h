#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_H_

#include <opentelemetry/common/attribute_value.h>
#include <opentelemetry/nostd/string_view.h>
#include <opentelemetry/trace/span_metadata.h>

namespace opentelemetry::trace {

class Span {
 public:
  Span() = default;
  virtual ~Span() = default;
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  virtual void SetAttribute(nostd::string_view key,
                            const common::AttributeValue& value) noexcept = 0;
  virtual void SetStatus(StatusCode code, nostd::string_view description = "") noexcept = 0;
  virtual void UpdateName(nostd::string_view name) noexcept = 0;
  virtual void End(const EndSpanOptions& options = {}) noexcept = 0;
  virtual bool IsRecording() const noexcept = 0;
};

}  // namespace opentelemetry::trace

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_SPAN_H_
