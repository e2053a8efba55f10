#ifndef CURSORWIRE_SRC_WORKSPACE_FS_WORK_LIMIT_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_WORK_LIMIT_H_

#include <chrono>
#include <stop_token>
#include <utility>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::workspace {

// Limits how long one action may take: checked between any two slow steps. Thread-safe.
class WorkLimit {
 public:
  WorkLimit(std::stop_token stop, std::chrono::milliseconds time)
      : stop_(std::move(stop)), deadline_(connect::After(std::chrono::steady_clock::now(), time)) {}

  bool stopped() const { return stop_.stop_requested(); }
  bool timed_out() const { return std::chrono::steady_clock::now() >= deadline_; }
  bool over() const { return stopped() || timed_out(); }

 private:
  const std::stop_token stop_;
  const connect::TimePoint deadline_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_WORK_LIMIT_H_
