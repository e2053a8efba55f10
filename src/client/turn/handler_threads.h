#ifndef CURSORWIRE_SRC_CLIENT_TURN_HANDLER_THREADS_H_
#define CURSORWIRE_SRC_CLIENT_TURN_HANDLER_THREADS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace cursorwire {

// The threads on which handlers do what the agent asks for. Handlers may take long, and the
// channel's thread must not wait. A thread is started if no thread is idle, up to kMaxThreads;
// further tasks wait. Thread-safe. The destructor stops.
class HandlerThreads {
 public:
  static constexpr size_t kMaxThreads = 8;
  using Task = std::function<void()>;

  HandlerThreads();
  ~HandlerThreads();

  // Identifies a task. 0: no task.
  using Ticket = uint64_t;

  // 0: no thread could be started, or Stop() was called.
  Ticket Post(Task task);
  // Drops a task that still waits. No effect on a task that is running or done.
  void Drop(Ticket ticket);
  // Drops waiting tasks and waits for running ones, but not for a task that calls it.
  void Stop();
  // Number of threads that wait for a task at this moment.
  size_t idle() const;

 private:
  class Shared;
  const std::shared_ptr<Shared> shared_;  // shared with the threads
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_HANDLER_THREADS_H_
