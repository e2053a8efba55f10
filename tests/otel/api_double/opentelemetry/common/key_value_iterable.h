#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_KEY_VALUE_ITERABLE_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_KEY_VALUE_ITERABLE_H_

#include <opentelemetry/common/attribute_value.h>
#include <opentelemetry/nostd/function_ref.h>

#include <cstddef>

namespace opentelemetry::common {

class KeyValueIterable {
 public:
  virtual ~KeyValueIterable() = default;
  virtual bool ForEachKeyValue(
      nostd::function_ref<bool(nostd::string_view, AttributeValue)> callback) const noexcept = 0;
  virtual std::size_t size() const noexcept = 0;
};

}  // namespace opentelemetry::common

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_KEY_VALUE_ITERABLE_H_
