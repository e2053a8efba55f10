#ifndef CURSORWIRE_APPS_GATEWAY_STATE_STATE_THREAD_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_STATE_THREAD_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "state/state_store.h"

namespace cursor_gateway {

// What waits for the store; more is refused.
inline constexpr size_t kMaxStateJobs = 4096;
inline constexpr size_t kMaxStateJobBytes = size_t{256} * 1024 * 1024;
// What waits at the end of the thread is done for so long, and then left.
inline constexpr std::chrono::seconds kLastJobs{5};

// The one thread that waits for disks and databases. Jobs are done one after the other, in the
// order in which they came.
class StateThread {
 public:
  using Job = std::function<void(StateStore&)>;

  explicit StateThread(std::unique_ptr<StateStore> store);
  // Does what waits, for kLastJobs, and ends.
  ~StateThread();
  StateThread(const StateThread&) = delete;
  StateThread& operator=(const StateThread&) = delete;

  // From any thread. False: too much waits already, and the job is not done. `bytes` is what it
  // holds.
  bool Post(size_t bytes, Job job);

 private:
  struct Waiting {
    size_t bytes = 0;
    Job job;
  };

  void Work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> jobs_;  // guarded by mutex_
  size_t bytes_ = 0;          // guarded by mutex_: of the jobs
  // Guarded by mutex_; nullopt: it is not to end.
  std::optional<std::chrono::steady_clock::time_point> end_;
  const std::unique_ptr<StateStore> store_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_STATE_THREAD_H_
