#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_PROVIDER_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_PROVIDER_H_

#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/trace/tracer_provider.h>

namespace opentelemetry::trace {

// The package has a provider that does nothing in place of null.
class Provider {
 public:
  static nostd::shared_ptr<TracerProvider> GetTracerProvider() noexcept { return Global(); }
  static void SetTracerProvider(nostd::shared_ptr<TracerProvider> provider) noexcept {
    Global() = provider;
  }

 private:
  static nostd::shared_ptr<TracerProvider>& Global() noexcept {
    static nostd::shared_ptr<TracerProvider> provider;
    return provider;
  }
};

}  // namespace opentelemetry::trace

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_PROVIDER_H_
