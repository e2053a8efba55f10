#include "client/turn/handler_threads.h"

#include <absl/base/thread_annotations.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "net/thread.h"

namespace cursorwire {

class HandlerThreads::Shared : public std::enable_shared_from_this<Shared> {
 public:
  Ticket Post(Task task);
  void Drop(Ticket ticket);
  void Stop();
  size_t idle() const {
    const std::lock_guard lock(mutex_);
    return idle_;
  }

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

HandlerThreads::HandlerThreads() : shared_(std::make_shared<Shared>()) {}
HandlerThreads::~HandlerThreads() { Stop(); }
HandlerThreads::Ticket HandlerThreads::Post(Task task) {
  // The task may run, and destroy this object, before Post() returns.
  const std::shared_ptr<Shared> shared = shared_;
  return shared->Post(std::move(task));
}
void HandlerThreads::Drop(Ticket ticket) { shared_->Drop(ticket); }
void HandlerThreads::Stop() { shared_->Stop(); }
size_t HandlerThreads::idle() const { return shared_->idle(); }

void HandlerThreads::Shared::Stop() {
  std::map<Ticket, Task> dropped;  // destroyed without the lock, together with what the tasks hold
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(tasks_);
    threads.swap(threads_);
  }
  changed_.notify_all();
  dropped.clear();
  for (std::thread& thread : threads) {
    // A handler may hold the last of what its client was.
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

HandlerThreads::Ticket HandlerThreads::Shared::Post(Task task) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return 0;
    if (idle_ <= tasks_.size() && threads_.size() < kMaxThreads) {
      std::thread thread;
      if (net::StartThread(thread, [self = shared_from_this()] { self->Work(); })) {
        threads_.push_back(std::move(thread));
      } else if (threads_.empty()) {
        return 0;
      }
    }
    ticket = ++last_ticket_;
    tasks_.emplace(ticket, std::move(task));
  }
  changed_.notify_one();
  return ticket;
}

void HandlerThreads::Shared::Drop(Ticket ticket) {
  decltype(tasks_)::node_type dropped;  // destroyed without the lock, together with what the task
                                        // holds
  const std::lock_guard lock(mutex_);
  dropped = tasks_.extract(ticket);
}

void HandlerThreads::Shared::Work() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      ++idle_;
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      --idle_;
      if (stopping_) return;
      task = std::move(tasks_.extract(tasks_.begin()).mapped());
    }
    task();
  }
}

}  // namespace cursorwire
