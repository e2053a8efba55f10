#include "state/state_thread.h"

#include <utility>

namespace cursor_gateway {

StateThread::StateThread(std::unique_ptr<StateStore> store)
    : store_(std::move(store)), thread_([this] { Work(); }) {}

StateThread::~StateThread() {
  {
    const std::lock_guard lock(mutex_);
    end_ = std::chrono::steady_clock::now() + kLastJobs;
  }
  wake_.notify_one();
  thread_.join();
}

bool StateThread::Post(size_t bytes, Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= kMaxStateJobs || bytes > kMaxStateJobBytes - bytes_) return false;
    bytes_ += bytes;
    jobs_.push_back({bytes, std::move(job)});
  }
  wake_.notify_one();
  return true;
}

void StateThread::Work() {
  for (;;) {
    Waiting next;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return end_ || !jobs_.empty(); });
      if (jobs_.empty() || (end_ && std::chrono::steady_clock::now() >= *end_)) return;
      next = std::move(jobs_.front());
      jobs_.pop_front();
    }
    next.job(*store_);
    next.job = nullptr;  // frees what it holds
    const std::lock_guard lock(mutex_);
    bytes_ -= next.bytes;
  }
}

}  // namespace cursor_gateway
