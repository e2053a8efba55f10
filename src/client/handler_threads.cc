#include "client/handler_threads.h"

#include <utility>

#include "net/thread.h"

namespace cursorwire {

HandlerThreads::~HandlerThreads() {
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
  for (std::thread& thread : threads) thread.join();
}

HandlerThreads::Ticket HandlerThreads::Post(Task task) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (idle_ <= tasks_.size() && threads_.size() < kMaxThreads) {
      std::thread thread;
      if (net::StartThread(thread, [this] { Work(); })) {
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

void HandlerThreads::Drop(Ticket ticket) {
  decltype(tasks_)::node_type dropped;  // destroyed without the lock, together with what the task
                                        // holds
  const std::lock_guard lock(mutex_);
  dropped = tasks_.extract(ticket);
}

size_t HandlerThreads::idle() const {
  const std::lock_guard lock(mutex_);
  return idle_;
}

void HandlerThreads::Work() {
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
