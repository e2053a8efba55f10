#include "agent/run/conversation_state.h"

#include "agent/run/wire_walk.h"
#include "agent/v1/conversation.pb.h"

namespace cursorwire::agent {

bool IsConversationState(std::string_view state) {
  return IsWellFormed(state, *::agent::v1::ConversationStateStructure::descriptor());
}

}  // namespace cursorwire::agent
