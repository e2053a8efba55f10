#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_TRACER_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_TRACER_H_

#include <opentelemetry/common/key_value_iterable_view.h>
#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/nostd/string_view.h>
#include <opentelemetry/trace/span.h>
#include <opentelemetry/trace/span_startoptions.h>

#include <initializer_list>
#include <utility>

namespace opentelemetry::trace {

// Without links.
class Tracer {
 public:
  virtual ~Tracer() = default;
  virtual nostd::shared_ptr<Span> StartSpan(nostd::string_view name,
                                            const common::KeyValueIterable& attributes,
                                            const StartSpanOptions& options = {}) noexcept = 0;

  nostd::shared_ptr<Span> StartSpan(nostd::string_view name,
                                    const StartSpanOptions& options = {}) noexcept {
    return StartSpan(name, {}, options);
  }
  nostd::shared_ptr<Span> StartSpan(
      nostd::string_view name,
      std::initializer_list<std::pair<nostd::string_view, common::AttributeValue>> attributes,
      const StartSpanOptions& options = {}) noexcept {
    return StartSpan(name, common::KeyValueIterableView(attributes), options);
  }
};

}  // namespace opentelemetry::trace

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_TRACE_TRACER_H_
