#ifndef CURSORWIRE_SRC_CLIENT_HANDLER_THREADS_H_
#define CURSORWIRE_SRC_CLIENT_HANDLER_THREADS_H_

#include <absl/base/thread_annotations.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
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

  // False: there is no thread to be had.
  bool Post(Task task);
  // How many wait for a task at this moment.
  size_t idle() const;

 private:
  void Work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  size_t idle_ ABSL_GUARDED_BY(mutex_) = 0;  // threads that wait for a task
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_HANDLER_THREADS_H_
