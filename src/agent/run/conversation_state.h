#ifndef CURSORWIRE_SRC_AGENT_RUN_CONVERSATION_STATE_H_
#define CURSORWIRE_SRC_AGENT_RUN_CONVERSATION_STATE_H_

#include <cstddef>
#include <string_view>

namespace cursorwire::agent {

// The service's state of a conversation: opaque, kept and sent back verbatim. Source:
// docs/protocol.md, checkpoints.

// A larger one leaves no room for a request within the 64 MiB of an envelope.
inline constexpr size_t kMaxStateBytes = size_t{48} * 1024 * 1024;

// Whether the service can read these bytes: not what they say.
bool IsConversationState(std::string_view state);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_CONVERSATION_STATE_H_
