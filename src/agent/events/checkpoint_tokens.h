#ifndef CURSORWIRE_SRC_AGENT_EVENTS_CHECKPOINT_TOKENS_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_CHECKPOINT_TOKENS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace cursorwire::agent {

// Size of the model's context, in tokens, as a checkpoint tells it.
struct CheckpointTokens {
  std::optional<int64_t> used{};
  std::optional<int64_t> max{};
};

// Reads only these two numbers; the rest of the checkpoint is the server's own data. A number that
// cannot be read stays unset. Source: docs/protocol.md, checkpoints.
CheckpointTokens ReadCheckpointTokens(std::string_view state);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_CHECKPOINT_TOKENS_H_
