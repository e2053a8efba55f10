#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_DEFERRED_ENDS_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_DEFERRED_ENDS_H_

#include <absl/base/thread_annotations.h>
#include <absl/container/flat_hash_map.h>

#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "cursorwire/export.h"

namespace cursorwire::connect::internal {

// Calls that end as they are started, such as those on a channel that is closed: the thread that
// starts one ends it at once.
// A user who starts another in the OnEnd() of the first is told after that OnEnd(), not within it:
// a user who tries forever would run out of stack. Thread-safe.
class CURSORWIRE_EXPORT DeferredEnds {
 public:
  using EndCall = std::function<void()>;

  // Calls `end`, and those that come on this thread meanwhile; if this thread is within another
  // End(), leaves `end` to that one.
  void End(EndCall end);

 private:
  // nullptr: there are no more.
  EndCall Take(std::thread::id thread);

  std::mutex mutex_;
  // By the thread that runs them.
  absl::flat_hash_map<std::thread::id, std::deque<EndCall>> ends_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_DEFERRED_ENDS_H_
