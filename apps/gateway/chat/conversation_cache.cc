#include "chat/conversation_cache.h"

#include <utility>

namespace cursor_gateway {

cursorwire::ConversationOptions CompletedTurns() {
  return {.unfinished_turns = cursorwire::UnfinishedTurns::kForget};
}

void ConversationCache::Take(const std::string& key, Taken taken) {
  if (const auto promised = promised_.find(key); promised != promised_.end()) {
    if (promised->second) return taken(std::nullopt);  // another waits for it
    promised->second = std::move(taken);
    return;
  }
  const auto read = [this,
                     taken = std::move(taken)](absl::StatusOr<std::optional<StateEntry>> entry) {
    if (!entry.ok() || !entry->has_value()) return taken(std::nullopt);
    absl::StatusOr<cursorwire::Conversation> conversation = cursorwire::Conversation::Deserialize(
        client_, {.bytes = std::move((*entry)->value), .blobs = std::move((*entry)->blobs)},
        CompletedTurns());
    if (conversation.ok()) return taken(*std::move(conversation));
    state_.CountError();
    taken(std::nullopt);
  };
  state_.Take({StateKind::kConversation, key}, read);
}

void ConversationCache::Put(const std::string& key, const std::string& client_key,
                            cursorwire::Conversation conversation) {
  if (const auto promised = promised_.find(key); promised != promised_.end()) {
    const Taken waits = std::move(promised->second);
    promised_.erase(promised);
    if (waits) return waits(std::move(conversation));
  }
  cursorwire::SavedConversation saved = conversation.Serialize();
  state_.Put(
      {StateKind::kConversation, key},
      {.owner = client_key, .value = std::move(saved.bytes), .blobs = std::move(saved.blobs)},
      kStateLife, nullptr);
}

}  // namespace cursor_gateway
