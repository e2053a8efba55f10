#ifndef CURSORWIRE_SRC_CLIENT_CONVERSATION_CONVERSATION_CONTENT_H_
#define CURSORWIRE_SRC_CLIENT_CONVERSATION_CONVERSATION_CONTENT_H_

#include <memory>

#include "client/conversation/conversation_core.h"
#include "client/conversation/session_codec.h"
#include "cursorwire/conversation.h"

namespace cursorwire {

// All of a conversation as of now, with the blobs that its state needs and, as far as there is
// room, the others that the service has stored. Of the head, only the title is set. Without I/O.
SessionContent ContentOf(const ConversationCore& core);

// The conversation that goes on from it. A state whose blobs are neither in the content nor in
// `options.blobs` is marked as incomplete.
std::shared_ptr<ConversationCore> MakeCore(SessionContent content, ConversationOptions options);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_CONVERSATION_CONVERSATION_CONTENT_H_
