#ifndef CURSORWIRE_APPS_GATEWAY_LOG_WRITER_H_
#define CURSORWIRE_APPS_GATEWAY_LOG_WRITER_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

namespace cursor_gateway {

// What waits to be written, before lines are lost.
inline constexpr size_t kMaxLogBytes = size_t{1024} * 1024;
// For the rest, at the end.
inline constexpr std::chrono::seconds kLastLines{1};

// Writes the lines of the log from a thread of its own: a pipe that nobody reads holds back nobody
// else. Lines that do not fit are counted, and the count is a line once there is room. Thread-safe.
class LogWriter {
 public:
  // The descriptor stays open; after an error of it, lines are lost without a word.
  explicit LogWriter(int descriptor);
  // Waits for what is not written yet, for kLastLines.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void Add(std::string_view line);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which a write may hold forever
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_LOG_WRITER_H_
