#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SESSION_USAGE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SESSION_USAGE_H_

#include <cursorwire/chat.h>

#include <cstdint>
#include <optional>
#include <string>

namespace cursor_chat {

// Tokens of the turns since the session began. A value.
struct SessionUsage {
  int64_t turns = 0;
  int64_t input_tokens = 0;
  int64_t output_tokens = 0;
  int64_t cache_read_tokens = 0;
  int64_t cache_write_tokens = 0;
  int64_t reasoning_tokens = 0;
  // Of the model's context, as the service said last.
  std::optional<int64_t> context_used{};
  std::optional<int64_t> context_size{};

  // Counts what the event says, if it is TurnEnded or Checkpoint.
  void Count(const cursorwire::ChatEvent& event);
};

// The lines of /usage.
std::string UsageText(const SessionUsage& usage);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SESSION_USAGE_H_
