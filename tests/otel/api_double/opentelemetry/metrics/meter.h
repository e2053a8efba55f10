#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_METER_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_METER_H_

#include <opentelemetry/metrics/sync_instruments.h>
#include <opentelemetry/nostd/string_view.h>
#include <opentelemetry/nostd/unique_ptr.h>

#include <cstdint>

namespace opentelemetry::metrics {

class Meter {
 public:
  virtual ~Meter() = default;
  virtual nostd::unique_ptr<Histogram<uint64_t>> CreateUInt64Histogram(
      nostd::string_view name, nostd::string_view description = "",
      nostd::string_view unit = "") noexcept = 0;
  virtual nostd::unique_ptr<Histogram<double>> CreateDoubleHistogram(
      nostd::string_view name, nostd::string_view description = "",
      nostd::string_view unit = "") noexcept = 0;
};

}  // namespace opentelemetry::metrics

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_METER_H_
