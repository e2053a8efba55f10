#ifndef CURSORWIRE_SRC_CLIENT_AUTH_LATE_STOP_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_LATE_STOP_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "net/thread.h"

namespace cursorwire {

// A stop that comes `delay` after another one, for what must not be broken off at once. Where the
// system starts no thread that could wait for that, it is the other one.
class LateStop {
 public:
  LateStop(const std::stop_token& stop, std::chrono::milliseconds delay) {
    if (!stop.stop_possible()) return;
    if (!net::StartThread(thread_, [this, delay] { Wait(delay); })) token_ = stop;
    on_stop_.emplace(stop, [this] { Set(requested_); });
  }
  ~LateStop() {
    on_stop_.reset();
    Set(done_);
    if (thread_.joinable()) thread_.join();
  }
  LateStop(const LateStop&) = delete;
  LateStop& operator=(const LateStop&) = delete;

  const std::stop_token& token() const { return token_; }

 private:
  void Set(bool& what) {
    const std::lock_guard lock(mutex_);
    what = true;
    changed_.notify_all();
  }
  void Wait(std::chrono::milliseconds delay) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return requested_ || done_; });
    if (changed_.wait_for(lock, delay, [this] { return done_; })) return;
    lock.unlock();
    late_.request_stop();
  }

  std::stop_source late_;
  std::stop_token token_ = late_.get_token();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool requested_ = false;  // guarded by mutex_
  bool done_ = false;       // guarded by mutex_
  std::thread thread_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_LATE_STOP_H_
