#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_PROVIDER_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_PROVIDER_H_

#include <opentelemetry/metrics/meter_provider.h>
#include <opentelemetry/nostd/shared_ptr.h>

namespace opentelemetry::metrics {

// The package has a provider that does nothing in place of null.
class Provider {
 public:
  static nostd::shared_ptr<MeterProvider> GetMeterProvider() noexcept { return Global(); }
  static void SetMeterProvider(nostd::shared_ptr<MeterProvider> provider) noexcept {
    Global() = provider;
  }

 private:
  static nostd::shared_ptr<MeterProvider>& Global() noexcept {
    static nostd::shared_ptr<MeterProvider> provider;
    return provider;
  }
};

}  // namespace opentelemetry::metrics

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_PROVIDER_H_
