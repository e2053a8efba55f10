#ifndef CURSORWIRE_APPS_ACP_TASK_THREAD_H_
#define CURSORWIRE_APPS_ACP_TASK_THREAD_H_

#include <absl/status/status.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "common/start_thread.h"

namespace cursor_acp {

// A thread that does one task after the other, from the first task on. Thread-safe.
class TaskThread {
 public:
  TaskThread() = default;
  // Does what is left, and waits for it.
  ~TaskThread() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  //   kUnavailable  the system starts no more threads: the task is not done
  absl::Status Add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable() && !cursor_apps::StartThread(thread_, [this] { Work(); })) {
      return cursor_apps::NoThreadError();
    }
    tasks_.push_back(std::move(task));
    changed_.notify_one();
    return absl::OkStatus();
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  // guarded by mutex_
  bool ends_ = false;                        // guarded by mutex_
  std::thread thread_;                       // started under mutex_
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_TASK_THREAD_H_
