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

// The threads on which handlers do what the agent asks for. Handlers may take long, and the
// channel's thread must not wait. A thread is started if no thread is idle, up to kMaxThreads;
// further tasks wait. Thread-safe. The destructor waits for running tasks and drops waiting ones.
class HandlerThreads {
 public:
  static constexpr size_t kMaxThreads = 8;
  using Task = std::function<void()>;

  ~HandlerThreads();

  // Identifies a task. 0: no task.
  using Ticket = uint64_t;

  // 0: no thread could be started.
  Ticket Post(Task task);
  // Drops a task that still waits. No effect on a task that is running or done.
  void Drop(Ticket ticket);
  // Number of threads that wait for a task at this moment.
  size_t idle() const;

 private:
  void Work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Ticket last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<Ticket, Task> tasks_ ABSL_GUARDED_BY(mutex_);  // waiting tasks, oldest first
  size_t idle_ ABSL_GUARDED_BY(mutex_) = 0;               // threads that wait for a task
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_HANDLER_THREADS_H_
