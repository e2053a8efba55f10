#ifndef CURSORWIRE_SRC_NET_WAKER_H_
#define CURSORWIRE_SRC_NET_WAKER_H_

#include <atomic>
#include <memory>

#include "base/file_descriptor.h"
#include "net/socket.h"

namespace cursorwire::net {

// Wakes a thread that waits in Poller::Wait(), from any thread. Several calls before the thread
// wakes up count as one. Thread-safe, except for Drain(), which only the waiting thread may call.
class Waker {
 public:
  // Shared by all who may wake; the last owner closes the pipe.
  //   kUnavailable  no descriptor left
  static absl::StatusOr<std::shared_ptr<Waker>> Create();

  void Wake();
  // Discards the calls of Wake() so far.
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
