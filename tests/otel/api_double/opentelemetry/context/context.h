#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_CONTEXT_CONTEXT_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_CONTEXT_CONTEXT_H_

namespace opentelemetry::context {

class Context {
 public:
  Context() = default;
};

}  // namespace opentelemetry::context

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_CONTEXT_CONTEXT_H_
