#ifndef CURSORWIRE_SRC_CHANNEL_BATCH_QUEUE_H_
#define CURSORWIRE_SRC_CHANNEL_BATCH_QUEUE_H_

#include <absl/base/thread_annotations.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "channel/driver.h"
#include "cursorwire/connect/call.h"

namespace cursorwire::connect {

// Elements on their way from the holder of the poll role to one consumer, which may be the holder
// itself: one lock and at most one wake-up for each batch, not for each element. It is bounded by
// the credit of its elements, which goes back to the peer as they are popped.
template <typename T>
class BatchQueue {
 public:
  // Credit goes back in portions of a quarter of the stream's window: more often would wake the
  // holder of the poll role without the peer being told.
  explicit BatchQueue(size_t window_bytes)
      : window_bytes_(window_bytes), credit_portion_(window_bytes / 4) {}

  // The holder of the poll role.
  void Push(T element, size_t credit) {
    incoming_.push_back({std::move(element), credit});
    held_credit_.fetch_add(credit, std::memory_order_relaxed);
  }
  // Shows the consumer what was pushed.
  void Flush() {
    if (incoming_.empty()) return;
    const std::lock_guard lock(mutex_);
    MoveIncoming();
    WakeConsumer();
  }
  // Flushes; nothing is pushed any more.
  void Close() {
    const std::lock_guard lock(mutex_);
    MoveIncoming();
    closed_ = true;
    WakeConsumer();
  }

  // Whether the consumer holds so much of the window that the peer may have to wait. Any thread.
  bool holds_peer_up() const {
    return held_credit_.load(std::memory_order_relaxed) >= window_bytes_ / 2;
  }

  // The consumer's thread: waits for an element of `call`, or drives its channel until there is
  // one; nullopt when there will be none.
  std::optional<T> Pop(const Call& call) {
    if (next_ == taken_.size()) Refill(call);
    if (next_ == taken_.size()) return std::nullopt;
    Item& item = taken_[next_++];
    credit_ += item.credit;
    if (credit_ >= credit_portion_) {
      held_credit_.fetch_sub(credit_, std::memory_order_relaxed);
      call.ReleaseCredit(std::exchange(credit_, 0));
    }
    return std::move(item.element);
  }

 private:
  struct Item {
    T element;
    size_t credit;
  };

  void MoveIncoming() {
    if (ready_.empty()) {
      ready_.swap(incoming_);
    } else {
      std::move(incoming_.begin(), incoming_.end(), std::back_inserter(ready_));
      incoming_.clear();
    }
  }

  // With the lock.
  void WakeConsumer() {
    if (waits_at_ != nullptr) std::exchange(waits_at_, nullptr)->EndWait();
    changed_.notify_one();
  }

  void Refill(const Call& call) {
    taken_.clear();
    next_ = 0;
    PollRole* const role = Driver::RoleOf(call);
    std::unique_lock lock(mutex_);
    while (ready_.empty() && !closed_) {
      if (role != nullptr && role->TakeOrWait()) {
        lock.unlock();
        Driver::DriveUntil(call, [this] { return !empty(); });
        lock.lock();
      } else {
        waits_at_ = role;
        changed_.wait(lock, [this] { return !ready_.empty() || closed_; });
      }
    }
    taken_.swap(ready_);
  }

  bool empty() {
    const std::lock_guard lock(mutex_);
    return ready_.empty() && !closed_;
  }

  const size_t window_bytes_;
  const size_t credit_portion_;
  std::atomic<size_t> held_credit_ = 0;  // pushed and not handed back
  std::vector<Item> incoming_;           // the role holder's
  std::vector<Item> taken_;              // the consumer's, from next_ on
  size_t next_ = 0;
  size_t credit_ = 0;  // the consumer's: of popped elements, not handed back yet

  std::mutex mutex_;
  std::condition_variable changed_;
  PollRole* waits_at_ ABSL_GUARDED_BY(mutex_) = nullptr;  // where the consumer counts as waiting
  std::vector<Item> ready_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_SRC_CHANNEL_BATCH_QUEUE_H_
