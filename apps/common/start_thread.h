#ifndef CURSORWIRE_APPS_COMMON_START_THREAD_H_
#define CURSORWIRE_APPS_COMMON_START_THREAD_H_

#include <absl/status/status.h>

#include <system_error>
#include <utility>

namespace cursor_apps {

// Starts `body` on `thread`, a std::thread or std::jthread that is none yet; false if the system
// cannot start one, as with a limit of processes. Does not throw, as a constructor would.
template <typename Thread, typename Body>
bool StartThread(Thread& thread, Body&& body) {
  try {
    thread = Thread(std::forward<Body>(body));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// What to tell the user then.
inline absl::Status NoThreadError() {
  return absl::UnavailableError(
      "the system starts no more threads: end other programs, or raise the limit of processes");
}

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_START_THREAD_H_
