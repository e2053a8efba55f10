#ifndef CURSORWIRE_SRC_NET_THREAD_H_
#define CURSORWIRE_SRC_NET_THREAD_H_

#include <absl/status/status.h>

#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/signal_block.h"

namespace cursorwire::net {

// Starts `body` on a new thread with signals blocked; false if the system cannot start one. Does
// not throw.
template <typename Body>
bool StartThread(std::thread& thread, Body&& body) {
  const SignalBlock block;
  try {
    thread = std::thread(std::forward<Body>(body));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

inline absl::Status NoThreadError() {
  return TransportError("the system starts no more threads", Replay::kSafe);
}

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_THREAD_H_
