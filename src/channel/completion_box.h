#ifndef CURSORWIRE_SRC_CHANNEL_COMPLETION_BOX_H_
#define CURSORWIRE_SRC_CHANNEL_COMPLETION_BOX_H_

#include <absl/base/thread_annotations.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::connect::internal {

// Completions of many calls, between the threads of their channels and those of the user. A call is
// known by its feed, the observer that fills the box; `Handle` can Cancel() it. No lock is held
// while a call is used: that takes the lock of its channel. Thread-safe.
template <typename Completion, typename Handle>
class CompletionBox {
 public:
  // The user's threads. False once it was shut down: no call may be started.
  bool Open(const void* feed) {
    const std::lock_guard lock(mutex_);
    return !shut_down_ && calls_.emplace(feed, Handle()).second;
  }
  void Register(const void* feed, const Handle& call) {
    const std::lock_guard lock(mutex_);
    // It may have ended meanwhile.
    if (const auto found = calls_.find(feed); found != calls_.end()) found->second = call;
  }
  // Waits; nullopt: there will be no completion any more.
  std::optional<Completion> Pop() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.wait(lock, [this] { return HasAnswer(); });
    --waiting_;
    return Take();
  }
  std::optional<Completion> Pop(TimePoint deadline) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.wait_until(lock, deadline, [this] { return HasAnswer(); });
    --waiting_;
    return Take();
  }
  std::optional<Completion> TryPop() {
    const std::lock_guard lock(mutex_);
    return Take();
  }
  void Shutdown() {
    const std::lock_guard lock(mutex_);
    shut_down_ = true;
    if (IsFinished()) changed_.notify_all();
  }
  void CancelAll() {
    std::vector<Handle> calls;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [feed, call] : calls_) calls.push_back(call);
    }
    for (const Handle& call : calls) call.Cancel();
  }
  // Nothing is kept any more.
  void Close() {
    std::deque<Completion> unwanted;
    const std::lock_guard lock(mutex_);
    shut_down_ = true;
    closed_ = true;
    unwanted.swap(ready_);
  }
  bool finished() const {
    const std::lock_guard lock(mutex_);
    return IsFinished();
  }

  // The channels' threads. Both take what is in `completions`.
  void Push(std::vector<Completion>& completions) {
    {
      const std::lock_guard lock(mutex_);
      Add(completions);
    }
    completions.clear();  // without the lock: their credit goes back
  }
  // The last completions of a call, which has ended.
  void PushLast(const void* feed, std::vector<Completion>& completions) {
    Handle call;  // let go without the lock
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = calls_.find(feed); found != calls_.end()) {
        call = std::move(found->second);
        calls_.erase(found);
      }
      Add(completions);
    }
    completions.clear();
  }

 private:
  bool IsFinished() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return shut_down_ && calls_.empty() && ready_.empty();
  }
  bool HasAnswer() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !ready_.empty() || IsFinished();
  }

  std::optional<Completion> Take() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (ready_.empty()) return std::nullopt;
    std::optional<Completion> result = std::move(ready_.front());
    ready_.pop_front();
    if (IsFinished()) {
      changed_.notify_all();
    } else if (!ready_.empty() && waiting_ > 0) {
      changed_.notify_one();
    }
    return result;
  }

  // Leaves them in `completions` if nothing is kept any more.
  void Add(std::vector<Completion>& completions) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (closed_) return;
    for (Completion& completion : completions) ready_.push_back(std::move(completion));
    completions.clear();
    if (waiting_ > 0) changed_.notify_one();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // threads, those that are woken just now included
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Completion> ready_ ABSL_GUARDED_BY(mutex_);
  std::unordered_map<const void*, Handle> calls_ ABSL_GUARDED_BY(mutex_);  // that have not ended
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_COMPLETION_BOX_H_
