#ifndef CURSORWIRE_SRC_FILES_PAUSE_H_
#define CURSORWIRE_SRC_FILES_PAUSE_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace cursorwire {

// Waits for that time, or until `stop` is requested: then false.
inline bool PauseFor(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_FILES_PAUSE_H_
