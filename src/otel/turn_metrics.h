#ifndef CURSORWIRE_SRC_OTEL_TURN_METRICS_H_
#define CURSORWIRE_SRC_OTEL_TURN_METRICS_H_

#include <opentelemetry/metrics/meter.h>
#include <opentelemetry/metrics/sync_instruments.h>
#include <opentelemetry/nostd/unique_ptr.h>

#include <cstdint>
#include <string_view>

#include "cursorwire/connect/interceptor.h"
#include "cursorwire/otel_interceptor.h"
#include "otel/run_facts.h"

namespace cursorwire::otel {

// The histograms of turns: how long they take, and their tokens. Thread-safe. `options` must
// outlive it.
class TurnMetrics {
 public:
  TurnMetrics(const OtelOptions& options, opentelemetry::metrics::Meter& meter);

  // A turn that has ended. `error_type` is empty if it succeeded.
  void Record(const connect::CallRecord& call, const RunFacts& facts,
              std::string_view error_type) const;

 private:
  const OtelOptions& options_;
  const opentelemetry::nostd::unique_ptr<opentelemetry::metrics::Histogram<double>> duration_;
  const opentelemetry::nostd::unique_ptr<opentelemetry::metrics::Histogram<uint64_t>> tokens_;
};

}  // namespace cursorwire::otel

#endif  // CURSORWIRE_SRC_OTEL_TURN_METRICS_H_
