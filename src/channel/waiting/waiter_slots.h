#ifndef CURSORWIRE_SRC_CHANNEL_WAITING_WAITER_SLOTS_H_
#define CURSORWIRE_SRC_CHANNEL_WAITING_WAITER_SLOTS_H_

#include <absl/base/thread_annotations.h>

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "cursorwire/connect/coroutine.h"
#include "cursorwire/export.h"

namespace cursorwire::connect::internal {

// One place for a coroutine for each thing of a call that can be waited for. A coroutine in its
// place is named by a ticket: whoever resumes it takes it out first, and whoever destroys it does
// the same, so that none is resumed after its end. No lock is held while a coroutine or the
// executor runs. Thread-safe.
class CURSORWIRE_EXPORT WaiterSlots : public std::enable_shared_from_this<WaiterSlots> {
 public:
  using For = AsyncWait::For;
  enum class Suspension { kSuspended, kReady, kTaken };

  explicit WaiterSlots(Executor executor) : executor_(std::move(executor)) {}
  virtual ~WaiterSlots() = default;
  WaiterSlots(const WaiterSlots&) = delete;
  WaiterSlots& operator=(const WaiterSlots&) = delete;

  bool IsReady(For what) const;
  // Writes `ticket` before the coroutine can go on.
  Suspension Suspend(For what, std::coroutine_handle<> coroutine, uint64_t& ticket);
  // Frees the place of a coroutine that was resumed, or must not be any more.
  void Leave(For what, uint64_t ticket);

 protected:
  // Lets the coroutines go on that have what they wait for.
  void ResumeReady();

 private:
  struct Place {
    std::coroutine_handle<> coroutine{};  // until it is resumed
    uint64_t ticket = 0;                  // 0: nobody waits
    bool in_executor = false;             // that was asked to resume it
  };
  static constexpr size_t kPlaces = 4;

  // Whether one who waits for `what` may go on. Called under a lock: it must not resume anything.
  virtual bool Has(For what) const = 0;

  Place& PlaceOf(For what) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return places_[static_cast<size_t>(what)];
  }
  void ResumeReady(For what);
  void Resume(For what, uint64_t ticket);

  const Executor executor_;
  mutable std::mutex mutex_;
  uint64_t last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::array<Place, kPlaces> places_ ABSL_GUARDED_BY(mutex_){};
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_WAITING_WAITER_SLOTS_H_
