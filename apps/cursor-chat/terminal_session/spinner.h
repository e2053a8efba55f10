#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SPINNER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SPINNER_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "output/output.h"
#include "terminal_session/screen_style.h"

namespace cursor_chat {

// Between two pictures of the spinner.
inline constexpr std::chrono::milliseconds kSpinnerInterval{100};

// What the agent does at the moment. A value.
struct Progress {
  std::string doing{};  // such as "thinking"; any text
  int64_t tokens = 0;   // of the turn so far
};

// The line of the spinner, of less than `columns` columns: a picture, what the agent does, seconds,
// and tokens.
std::string SpinnerLine(const Progress& progress, std::chrono::seconds elapsed, size_t picture,
                        size_t columns, const ScreenStyle& style);

// Shows below the output what the agent does, while it lives, on a thread of its own. Nothing if
// the style is not decorated. Thread-safe.
class Spinner {
 public:
  // `output` must outlive it.
  Spinner(Output& output, const ScreenStyle& style);
  // Removes the line.
  ~Spinner();
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;

  void Show(std::string doing);
  void AddTokens(int64_t tokens);
  int64_t tokens() const;

 private:
  void Turn(const std::stop_token& stop);

  Output& output_;
  const ScreenStyle style_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::condition_variable_any ticks_;  // only ever times out, or is stopped
  Progress progress_;                  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SPINNER_H_
