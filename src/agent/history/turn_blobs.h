#ifndef CURSORWIRE_SRC_AGENT_HISTORY_TURN_BLOBS_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_TURN_BLOBS_H_

#include <string>

#include "agent/v1/conversation.pb.h"
#include "cursorwire/blob_store.h"
#include "cursorwire/history.h"

namespace cursorwire::agent {

// Adds a completed turn to a state that is built from history: the messages that the model's prompt
// is made of, and the turn as it is displayed. Their bytes go into `blobs`, and the state gets the
// ids. Source: docs/protocol.md, several turns.
void AddTurn(const HistoryTurn& turn, BlobStore& blobs,
             ::agent::v1::ConversationStateStructure& state);

// The same for a turn that is not complete: only the messages of the prompt.
void AddPromptMessages(const HistoryTurn& turn, BlobStore& blobs,
                       ::agent::v1::ConversationStateStructure& state);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_TURN_BLOBS_H_
