#include "client/exec_worker.h"

#include <utility>

#include "net/thread.h"

namespace cursorwire {

ExecWorker::~ExecWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    tasks_.clear();
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool ExecWorker::Post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable() && !net::StartThread(thread_, [this] { Work(); })) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

void ExecWorker::Work() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task(*handler_);
  }
}

}  // namespace cursorwire
