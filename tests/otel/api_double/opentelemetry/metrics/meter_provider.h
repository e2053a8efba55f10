#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_METER_PROVIDER_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_METER_PROVIDER_H_

#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/nostd/string_view.h>

namespace opentelemetry::metrics {

class Meter;

class MeterProvider {
 public:
  virtual ~MeterProvider() = default;
  virtual nostd::shared_ptr<Meter> GetMeter(nostd::string_view name,
                                            nostd::string_view version = "",
                                            nostd::string_view schema_url = "") noexcept = 0;
};

}  // namespace opentelemetry::metrics

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_METER_PROVIDER_H_
