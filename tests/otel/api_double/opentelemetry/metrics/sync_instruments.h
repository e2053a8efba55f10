#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_SYNC_INSTRUMENTS_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_SYNC_INSTRUMENTS_H_

#include <opentelemetry/common/key_value_iterable_view.h>
#include <opentelemetry/context/context.h>

namespace opentelemetry::metrics {

// As in ABI version 1, where attributes come with a context.
template <class T>
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void Record(T value, const context::Context& context) noexcept = 0;
  virtual void Record(T value, const common::KeyValueIterable& attributes,
                      const context::Context& context) noexcept = 0;

  template <common::detail::is_key_value_iterable U>
  void Record(T value, const U& attributes, const context::Context& context) noexcept {
    Record(value, common::KeyValueIterableView<U>(attributes), context);
  }
};

}  // namespace opentelemetry::metrics

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_METRICS_SYNC_INSTRUMENTS_H_
