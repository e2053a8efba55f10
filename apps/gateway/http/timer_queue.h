#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_TIMER_QUEUE_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_TIMER_QUEUE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace cursor_gateway {

using TimePoint = std::chrono::steady_clock::time_point;

// Functions that are to be called at some time. Reads no clock. Thread-compatible.
class TimerQueue {
  using Key = std::pair<TimePoint, uint64_t>;
  using Entries = std::map<Key, std::function<void()>>;

 public:
  // Its function is called once, unless the Timer is destroyed or assigned to before.
  class Timer {
   public:
    Timer() = default;
    Timer(Timer&& other) noexcept { *this = std::move(other); }
    Timer& operator=(Timer&& other) noexcept {
      std::swap(entries_, other.entries_);
      std::swap(key_, other.key_);
      other.Cancel();
      return *this;
    }
    ~Timer() { Cancel(); }

    void Cancel() {
      if (const auto entries = entries_.lock()) entries->erase(key_);
      entries_.reset();
    }

   private:
    friend class TimerQueue;
    std::weak_ptr<Entries> entries_;
    Key key_{};
  };

  [[nodiscard]] Timer At(TimePoint time, std::function<void()> function) {
    Timer timer;
    timer.entries_ = entries_;
    timer.key_ = {time, ++last_};
    entries_->emplace(timer.key_, std::move(function));
    return timer;
  }

  std::optional<TimePoint> NextDeadline() const {
    if (entries_->empty()) return std::nullopt;
    return entries_->begin()->first.first;
  }

  // Calls what is due, in order.
  void RunDue(TimePoint now) {
    while (!entries_->empty() && entries_->begin()->first.first <= now) {
      const std::function<void()> function = std::move(entries_->begin()->second);
      entries_->erase(entries_->begin());
      function();
    }
  }

 private:
  std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();  // timers may outlive the queue
  uint64_t last_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_TIMER_QUEUE_H_
