#ifndef CURSORWIRE_SRC_CLIENT_HANDLER_THREADS_H_
#define CURSORWIRE_SRC_CLIENT_HANDLER_THREADS_H_

#include <absl/base/thread_annotations.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace cursorwire {

// The threads on which handlers do what the agent asks for: they may take long, and the channel's
// thread must not wait. One starts where none is idle, up to kMaxThreads; what is more waits.
// Thread-safe. Its destructor waits for the tasks that run; those that wait are dropped.
class HandlerThreads {
 public:
  static constexpr size_t kMaxThreads = 8;
  using Task = std::function<void()>;

  ~HandlerThreads();

  // Names a task. 0: none.
  using Ticket = uint64_t;

  // 0: there is no thread to be had.
  Ticket Post(Task task);
  // If it still waits. No effect on one that runs, or is done.
  void Drop(Ticket ticket);
  // How many wait for a task at this moment.
  size_t idle() const;

 private:
  void Work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Ticket last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<Ticket, Task> tasks_ ABSL_GUARDED_BY(mutex_);  // wait, the oldest first
  size_t idle_ ABSL_GUARDED_BY(mutex_) = 0;               // threads that wait for a task
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_HANDLER_THREADS_H_
