#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_COUNT_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_COUNT_H_

#include <chrono>
#include <cstdint>

#include "http/timer_queue.h"

namespace cursor_gateway {

// How often something happens within a span of time, which begins anew when it is over. A value.
class EventCount {
 public:
  EventCount(uint32_t most, std::chrono::seconds span) : most_(most), span_(span) {}

  void Add(TimePoint now) {
    if (now - start_ >= span_) {
      start_ = now;
      count_ = 0;
    }
    ++count_;
  }
  bool is_over() const { return count_ > most_; }

 private:
  uint32_t most_;
  std::chrono::seconds span_;
  TimePoint start_;
  uint32_t count_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_COUNT_H_
