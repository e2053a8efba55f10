#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_CLOCK_SKEW_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_CLOCK_SKEW_H_

#include <cursorwire/connect/interceptor.h>

#include <chrono>
#include <mutex>
#include <optional>

namespace cursor_chat {

// Compares this machine's clock with header `date` of the answers that come. Thread-safe.
class ClockSkew final : public cursorwire::connect::Interceptor {
 public:
  void OnHead(const cursorwire::connect::CallRecord& call,
              const cursorwire::connect::Headers& headers) override;

  // How far this clock is ahead; nullopt: no answer had a date. To about a second.
  std::optional<std::chrono::seconds> skew() const;

 private:
  mutable std::mutex mutex_;
  std::optional<std::chrono::seconds> skew_;  // guarded by mutex_
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_CLOCK_SKEW_H_
