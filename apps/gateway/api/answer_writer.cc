#include "api/answer_writer.h"

#include <algorithm>

namespace cursor_gateway {

AnswerUsage WithContextAsPrompt(AnswerUsage usage) {
  if (!usage.context_tokens) return usage;
  // The context holds the answer, too.
  const int64_t output = std::min(usage.turn.output_tokens.value_or(0), *usage.context_tokens);
  const int64_t input = *usage.context_tokens - output;
  usage.turn.input_tokens = input;
  usage.turn.output_tokens = output;
  for (auto* part : {&usage.turn.cache_read_tokens, &usage.turn.cache_write_tokens}) {
    if (*part) *part = std::min(**part, input);
  }
  if (usage.turn.reasoning_tokens) {
    usage.turn.reasoning_tokens = std::min(*usage.turn.reasoning_tokens, output);
  }
  return usage;
}

}  // namespace cursor_gateway
