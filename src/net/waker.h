#ifndef CURSORWIRE_SRC_NET_WAKER_H_
#define CURSORWIRE_SRC_NET_WAKER_H_

#include <atomic>
#include <memory>

#include "net/socket.h"

namespace cursorwire::net {

// Wakes a thread that waits in Poller::Wait(), from any thread. Calls before the thread looks count
// as one. Thread-safe, but for Drain(), which is the waiting thread's.
class Waker {
 public:
  // Shared by whoever may wake: the last of them closes the pipe.
  //   kUnavailable  no descriptor left
  static absl::StatusOr<std::shared_ptr<Waker>> Create();

  void Wake();
  // Forgets the calls of Wake() so far.
  void Drain();
  int fd() const { return read_end_.get(); }

 private:
  Waker(FileDescriptor read_end, FileDescriptor write_end)
      : read_end_(std::move(read_end)), write_end_(std::move(write_end)) {}

  FileDescriptor read_end_;
  FileDescriptor write_end_;
  std::atomic<bool> woken_ = false;
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_WAKER_H_
