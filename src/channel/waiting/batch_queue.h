#ifndef CURSORWIRE_SRC_CHANNEL_WAITING_BATCH_QUEUE_H_
#define CURSORWIRE_SRC_CHANNEL_WAITING_BATCH_QUEUE_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "channel/loop/consumer_role.h"
#include "channel/waiting/credit_account.h"
#include "cursorwire/connect/call.h"

namespace cursorwire::connect::internal {

// What a call brings, on its way from the holder of the poll role to one consumer: values, then the
// error if there is one. One lock and at most one wake-up for each batch, not for each value. It is
// bounded by the credit of its values, which goes back to the peer as they are taken.
//
// The consumer waits in Pop(), and drives the channel itself meanwhile where it can. Or it is told
// by others that something is ready() and does not wait: TryPop(). After Drop() it gets nothing of
// what waits, but an end.
template <typename Value>
class BatchQueue {
 public:
  using Element = absl::StatusOr<Value>;

  // The holder of the poll role; before the first Push(). Without it, credit goes nowhere.
  void Open(std::shared_ptr<CreditAccount> account) { account_ = std::move(account); }
  // `value` is a Value, or becomes one in its place.
  template <typename T>
  void Push(T&& value, size_t credit) {
    if (account_ != nullptr && credit > 0) account_->Take(credit);
    incoming_.emplace_back(std::forward<T>(value), credit);
  }
  // Shows the consumer what was pushed.
  void Flush() {
    if (incoming_.empty()) return;
    const std::lock_guard lock(mutex_);
    MoveIncoming();
    WakeConsumer();
  }
  // Flushes; nothing is pushed any more.
  void Close(absl::Status status) {
    if (!status.ok()) incoming_.emplace_back(std::move(status), 0);
    const std::lock_guard lock(mutex_);
    MoveIncoming();
    closed_ = true;
    WakeConsumer();
  }

  // Any thread: what waits is not handed out any more. The next element is the error that the call
  // ended with, or kCancelled; it is the last.
  void Drop() {
    const std::lock_guard lock(mutex_);
    dropping_ = true;
    WakeConsumer();
  }

  // The consumer: waits for an element of `call`, or drives its channel until there is one; nullopt
  // when there will be none.
  std::optional<Element> Pop(const Call& call) {
    if (next_ == taken_.size()) Refill(call);
    return TryPop();
  }
  // The same once it is ready(): it does not wait.
  std::optional<Element> TryPop() {
    if (dropping_) return TakeEnd();
    if (next_ == taken_.size()) Refill();
    if (next_ == taken_.size()) return std::nullopt;
    return Take();
  }
  // The consumer, or who keeps the consumer from popping meanwhile.
  bool ready() {
    if (next_ < taken_.size()) return true;
    const std::lock_guard lock(mutex_);
    return HasAnswer();
  }

 private:
  struct Item {
    template <typename T>
    Item(T&& what, size_t of) : element(std::forward<T>(what)), credit(of) {}

    Element element;
    size_t credit;
  };

  bool HasAnswer() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !ready_.empty() || closed_ || dropping_;
  }

  void MoveIncoming() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (ready_.empty()) {
      ready_.swap(incoming_);
    } else {
      std::move(incoming_.begin(), incoming_.end(), std::back_inserter(ready_));
      incoming_.clear();
    }
  }

  void WakeConsumer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    waiting_.EndWait();
    changed_.notify_one();
  }

  // What it has moves once. There must be one.
  std::optional<Element> Take() {
    Item& item = taken_[next_++];
    if (account_ != nullptr) account_->Return(item.credit);
    return std::optional<Element>(std::move(item.element));
  }

  // Drops what waits and returns the error at its end. If there is no error: kCancelled if
  // something was dropped or the call goes on, else nullopt.
  std::optional<Element> TakeEnd() {
    if (std::exchange(told_end_, true)) return std::nullopt;
    bool dropped = false;
    for (;;) {
      for (; next_ < taken_.size(); dropped = true) {
        std::optional<Element> element = Take();
        if (!element->ok()) return element;
      }
      if (!Refill()) break;
    }
    const std::lock_guard lock(mutex_);
    // A call that ended well before that: without an error its answer would look whole.
    if (dropped || !closed_) return CancelledByCaller();
    return std::nullopt;
  }

  // False if there is nothing. Does not wait.
  bool Refill() {
    taken_.clear();
    next_ = 0;
    const std::lock_guard lock(mutex_);
    taken_.swap(ready_);
    return !taken_.empty();
  }

  void Refill(const Call& call) {
    taken_.clear();
    next_ = 0;
    ConsumerRole role(call);
    std::unique_lock lock(mutex_);
    while (!HasAnswer()) {
      if (role.TakeOrWait()) {
        lock.unlock();
        role.DriveUntil([this] { return ready(); });
        lock.lock();
      } else {
        waiting_ = role;
        changed_.wait(lock, [this] { return HasAnswer(); });
      }
    }
    taken_.swap(ready_);
  }

  std::shared_ptr<CreditAccount> account_;  // written before the first element
  std::vector<Item> incoming_;              // the role holder's
  std::vector<Item> taken_;                 // the consumer's, from next_ on
  size_t next_ = 0;
  bool told_end_ = false;  // the consumer's: after Drop()
  std::atomic<bool> dropping_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  ConsumerRole waiting_ ABSL_GUARDED_BY(mutex_);  // where the consumer counts as waiting
  std::vector<Item> ready_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_WAITING_BATCH_QUEUE_H_
