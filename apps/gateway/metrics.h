#ifndef CURSORWIRE_APPS_GATEWAY_METRICS_H_
#define CURSORWIRE_APPS_GATEWAY_METRICS_H_

#include <cursorwire/chat.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace cursor_gateway {

// What the gateway counts. Nothing in it comes from a client: paths are patterns. On the loop's
// thread.
class Metrics {
 public:
  void CountRequest(std::string_view path, int status);
  void CountUsage(const cursorwire::Usage& usage);
  void CountUpstreamError(std::string_view code);
  void RecordFirstToken(std::chrono::milliseconds time);

  size_t runs_active = 0;
  size_t runs_parked = 0;
  uint64_t runs = 0;
  uint64_t cancelled = 0;
  uint64_t cold_continuations = 0;
  uint64_t state_errors = 0;

  // Prometheus' text format, version 0.0.4.
  std::string Text() const;

 private:
  static constexpr std::array<double, 9> kBounds = {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

  std::map<std::pair<std::string, int>, uint64_t> requests_;
  std::map<std::string, uint64_t> tokens_;
  std::map<std::string, uint64_t> upstream_errors_;
  std::array<uint64_t, kBounds.size() + 1> first_tokens_{};  // the last: longer
  double first_token_sum_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_METRICS_H_
