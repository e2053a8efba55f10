#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_TRACER_PROVIDER_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_TRACER_PROVIDER_H_

#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/nostd/string_view.h>

namespace opentelemetry::trace {

class Tracer;

class TracerProvider {
 public:
  virtual ~TracerProvider() = default;
  virtual nostd::shared_ptr<Tracer> GetTracer(nostd::string_view name,
                                              nostd::string_view version = "",
                                              nostd::string_view schema_url = "") noexcept = 0;
};

}  // namespace opentelemetry::trace

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_TRACER_PROVIDER_H_
