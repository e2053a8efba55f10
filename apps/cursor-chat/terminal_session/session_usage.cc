#include "terminal_session/session_usage.h"

namespace cursor_chat {

void SessionUsage::Count(const cursorwire::ChatEvent& event) {
  if (const auto* ended = event.As<cursorwire::TurnEnded>()) {
    const cursorwire::Usage& usage = ended->usage;
    ++turns;
    input_tokens += usage.input_tokens.value_or(0);
    output_tokens += usage.output_tokens.value_or(0);
    cache_read_tokens += usage.cache_read_tokens.value_or(0);
    cache_write_tokens += usage.cache_write_tokens.value_or(0);
    reasoning_tokens += usage.reasoning_tokens.value_or(0);
  } else if (const auto* checkpoint = event.As<cursorwire::Checkpoint>()) {
    if (checkpoint->used_tokens) context_used = checkpoint->used_tokens;
    if (checkpoint->max_tokens) context_size = checkpoint->max_tokens;
  }
}

std::string UsageText(const SessionUsage& usage) {
  std::string text = std::to_string(usage.turns) + (usage.turns == 1 ? " turn" : " turns") +
                     " in this session: " + std::to_string(usage.input_tokens) + " input tokens, " +
                     std::to_string(usage.output_tokens) + " output tokens";
  const auto add = [&text](int64_t tokens, const char* what) {
    if (tokens > 0) text += ", " + std::to_string(tokens) + " " + what;
  };
  add(usage.reasoning_tokens, "reasoning tokens");
  add(usage.cache_read_tokens, "tokens read from the cache");
  add(usage.cache_write_tokens, "tokens written to the cache");
  text += "\n";
  if (usage.context_used && usage.context_size) {
    text += "context: " + std::to_string(*usage.context_used) + " of " +
            std::to_string(*usage.context_size) + " tokens\n";
  }
  return text;
}

}  // namespace cursor_chat
