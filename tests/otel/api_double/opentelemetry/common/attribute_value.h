#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_ATTRIBUTE_VALUE_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_ATTRIBUTE_VALUE_H_

#include <opentelemetry/nostd/string_view.h>

#include <cstdint>
#include <span>
#include <variant>

namespace opentelemetry::common {

// The alternatives in their order. nostd::span is std::span here.
using AttributeValue =
    std::variant<bool, int32_t, int64_t, uint32_t, double, const char*, nostd::string_view,
                 std::span<const bool>, std::span<const int32_t>, std::span<const int64_t>,
                 std::span<const uint32_t>, std::span<const double>,
                 std::span<const nostd::string_view>, uint64_t, std::span<const uint64_t>,
                 std::span<const uint8_t>>;

}  // namespace opentelemetry::common

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_ATTRIBUTE_VALUE_H_
