#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_POLL_ROLE_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_POLL_ROLE_H_

#include <absl/base/thread_annotations.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "cursorwire/connect/channel_options.h"

namespace cursorwire::connect::internal {

// Who runs the loop of a channel: one thread at a time, its background thread or one that waits for
// the loop anyway. The state alone; the Driver does the work.
//
// The background thread holds the role from the start. Once it has served the only consumer that
// waited, it leaves the role vacant, and that consumer finds it so when it comes back: it takes the
// role and needs no other thread to be woken. It leaves it vacant again with what it waited for.
// The background thread takes a vacant role at once when there are waiting threads or commands
// left, and otherwise when it sees that nobody comes for it any more.
//
// Reservations keep the role for the background thread: while there are any, no other takes it, and
// one that holds it leaves soon.
// Thread-safe, by one lock that is never held while anything else is called.
class PollRole {
 public:
  // A consumer that is busy for longer does not drive well. The background thread sees that it is
  // away after this time at the earliest, and kLongestPause + kAbsence at the latest.
  static constexpr std::chrono::milliseconds kAbsence{2};
  static constexpr std::chrono::milliseconds kLongestPause{16};

  explicit PollRole(IoThread io_thread) : open_to_all_(io_thread == IoThread::kWhoeverWaits) {}

  bool held_here() const { return holder_.load() == std::this_thread::get_id(); }
  // Whether the holder, who asks, may call what only the background thread may.
  bool serves_all() const { return held_by_background_ || reservations_ == 0; }

  // A consumer that has nothing: true if it holds the role now. Otherwise it counts as waiting
  // until EndWait(), which the one who serves it calls for it.
  bool TakeOrWait();
  // A thread that waits, but does not drive. Balanced by EndWait().
  void BeginWait();
  void EndWait();

  // For a thread that has posted a command.
  enum class Next {
    kNothing,     // the holder looks, or the background thread was told
    kWakeHolder,  // it may wait for the network
    kDrive,       // the caller holds the role now: it runs the command, and leaves
  };
  Next AfterPost();
  // Leaves the role vacant. Not the background thread.
  void Leave();
  // There is something to do: if nobody holds the role, the background thread takes it.
  void CallBackground();

  void Reserve();
  void Unreserve();

  // Called by the background thread first: nobody takes the role before.
  void StartInBackground();
  // If a consumer is better placed now, lets go of the role until it is needed here again.
  void PassOn();

 private:
  static constexpr int kLooksInLongHold = 8;

  bool vacant() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return holder_.load() == std::thread::id();
  }
  bool needs_background() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return called_ || waiting_ > 0 || reservations_ > 0;
  }
  void TakeInBackground() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakeIfFree() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Call() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SleepUntilNeeded(std::unique_lock<std::mutex>& lock) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const bool open_to_all_;
  // Written under the lock.
  std::atomic<std::thread::id> holder_{};
  std::atomic<bool> held_by_background_ = false;
  std::atomic<int> reservations_ = 0;

  std::mutex mutex_;
  // The holder only runs the command that it posted: nobody looks at the network meanwhile.
  bool held_for_command_ ABSL_GUARDED_BY(mutex_) = false;
  std::condition_variable background_;
  bool tell_when_vacant_ ABSL_GUARDED_BY(mutex_) = false;
  bool called_ ABSL_GUARDED_BY(mutex_) = true;   // the background thread is to take the role
  bool served_ ABSL_GUARDED_BY(mutex_) = false;  // a consumer, since PassOn() last looked
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t takings_ ABSL_GUARDED_BY(mutex_) = 0;  // by consumers
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_POLL_ROLE_H_
