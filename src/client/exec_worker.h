#ifndef CURSORWIRE_SRC_CLIENT_EXEC_WORKER_H_
#define CURSORWIRE_SRC_CLIENT_EXEC_WORKER_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "cursorwire/exec_handler.h"

namespace cursorwire {

// The thread on which a handler does what the agent asks for, one action after the other: they may
// take long, and the channel's thread must not wait. It starts with the first action.
// Thread-safe. Its destructor waits for the action that runs; those that wait are dropped.
class ExecWorker {
 public:
  using Task = std::function<void(ExecHandler& handler)>;

  // `handler` may be shared with others.
  explicit ExecWorker(std::shared_ptr<ExecHandler> handler) : handler_(std::move(handler)) {}
  ~ExecWorker();

  // False: there is no thread to be had.
  bool Post(Task task);

 private:
  void Work();

  const std::shared_ptr<ExecHandler> handler_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;  // guarded by mutex_
  bool stopping_ = false;   // guarded by mutex_
  std::thread thread_;      // guarded by mutex_ until the destructor
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_EXEC_WORKER_H_
