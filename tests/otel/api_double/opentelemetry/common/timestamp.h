#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_TIMESTAMP_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_TIMESTAMP_H_

#include <chrono>

namespace opentelemetry::common {

template <class Clock>
class Timestamp {
 public:
  Timestamp() noexcept = default;
  Timestamp(const typename Clock::time_point& time) noexcept : time_(time) {}
  operator typename Clock::time_point() const noexcept { return time_; }

 private:
  typename Clock::time_point time_{};
};

// Two classes in the package.
using SystemTimestamp = Timestamp<std::chrono::system_clock>;
using SteadyTimestamp = Timestamp<std::chrono::steady_clock>;

}  // namespace opentelemetry::common

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_TIMESTAMP_H_
