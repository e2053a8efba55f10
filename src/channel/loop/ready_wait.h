#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_READY_WAIT_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_READY_WAIT_H_

#include <absl/status/status.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::connect::internal {

inline constexpr std::chrono::milliseconds kFirstReadyPause{100};
inline constexpr std::chrono::milliseconds kLongestReadyPause{10'000};

// Calls that wait until their server can be reached (CallOptions::wait_for_ready), and when it is
// tried again: after a pause that doubles with each failure. Thread-compatible.
template <typename CallPtr>
class ReadyWait {
 public:
  struct Waiting {
    CallPtr call;
    std::optional<TimePoint> deadline;  // of the call
    absl::Status why;                   // the server could not be reached
  };

  void Add(Waiting waiting, TimePoint now) {
    waiting_.push_back(std::move(waiting));
    if (attempt_at_) return;
    attempt_at_ = now + pause_;
    pause_ = std::min(2 * pause_, kLongestReadyPause);
  }
  // False: it does not wait here.
  bool Remove(const CallPtr& call) {
    return std::erase_if(waiting_,
                         [&call](const Waiting& waiting) { return waiting.call == call; }) > 0;
  }
  // The server was reached: the next pause is the first again.
  void Reset() { pause_ = kFirstReadyPause; }

  // When TakeDue() gives something: at the next attempt, or when the time of a call is over.
  std::optional<TimePoint> next() const {
    if (waiting_.empty()) return std::nullopt;
    std::optional<TimePoint> next = attempt_at_;
    for (const Waiting& waiting : waiting_) {
      if (waiting.deadline && (!next || *waiting.deadline < *next)) next = waiting.deadline;
    }
    return next;
  }
  // All that wait, if the next attempt is due; else those whose time is over.
  std::vector<Waiting> TakeDue(TimePoint now) {
    if (attempt_at_ && *attempt_at_ <= now) return TakeAll();
    std::vector<Waiting> due;
    std::erase_if(waiting_, [&](Waiting& waiting) {
      const bool over = waiting.deadline && *waiting.deadline <= now;
      if (over) due.push_back(std::move(waiting));
      return over;
    });
    if (waiting_.empty()) attempt_at_.reset();
    return due;
  }
  std::vector<Waiting> TakeAll() {
    attempt_at_.reset();
    return std::exchange(waiting_, {});
  }

 private:
  std::vector<Waiting> waiting_;
  std::optional<TimePoint> attempt_at_;
  std::chrono::milliseconds pause_ = kFirstReadyPause;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_READY_WAIT_H_
