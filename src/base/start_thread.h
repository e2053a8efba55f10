#ifndef CURSORWIRE_SRC_BASE_START_THREAD_H_
#define CURSORWIRE_SRC_BASE_START_THREAD_H_

#include <system_error>
#include <thread>
#include <utility>

#include "base/signal_block.h"

namespace cursorwire {

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

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_START_THREAD_H_
