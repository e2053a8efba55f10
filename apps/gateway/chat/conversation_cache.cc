#include "chat/conversation_cache.h"

#include <algorithm>
#include <utility>

namespace cursor_gateway {

void ConversationCache::Take(const std::string& key, Taken taken) {
  DropOld();
  const auto it = entries_.find(key);
  if (it == entries_.end()) return TakeStored(key, std::move(taken));
  if (it->second.waits) return taken(std::nullopt);
  if (!it->second.conversation) {
    it->second.waits = std::move(taken);
    return;
  }
  const bool must_ask = state_ != nullptr && !it->second.is_alone;
  auto conversation =
      std::make_shared<cursorwire::Conversation>(*std::move(it->second.conversation));
  entries_.erase(it);
  if (!must_ask) return taken(std::move(*conversation));
  const auto erased = [conversation, taken = std::move(taken)](const absl::StatusOr<bool>& mine) {
    if (mine.ok() && *mine) return taken(std::move(*conversation));
    taken(std::nullopt);
  };
  state_->Erase({StateKind::kConversation, key}, erased);
}

void ConversationCache::TakeStored(const std::string& key, Taken taken) {
  if (state_ == nullptr) return taken(std::nullopt);
  const auto read = [this,
                     taken = std::move(taken)](absl::StatusOr<std::optional<StateEntry>> entry) {
    if (!entry.ok() || !entry->has_value()) return taken(std::nullopt);
    absl::StatusOr<cursorwire::Conversation> conversation = cursorwire::Conversation::Deserialize(
        client_, {.bytes = std::move((*entry)->value), .blobs = std::move((*entry)->blobs)});
    if (conversation.ok()) return taken(*std::move(conversation));
    state_->CountError();
    taken(std::nullopt);
  };
  state_->Take({StateKind::kConversation, key}, read);
}

void ConversationCache::Store(const std::string& key, Entry& entry) {
  if (state_ == nullptr) return;
  cursorwire::SavedConversation saved = entry.conversation->Serialize();
  const auto stored = [this, key, number = entry.number](const absl::Status& status) {
    // It may have got there after all.
    const bool is_unclear = status.code() == absl::StatusCode::kUnknown ||
                            status.code() == absl::StatusCode::kDeadlineExceeded;
    const auto it = entries_.find(key);
    if (status.ok() || is_unclear || it == entries_.end()) return;
    if (it->second.number == number) it->second.is_alone = true;
  };
  state_->Put({StateKind::kConversation, key},
              {.value = std::move(saved.bytes), .blobs = std::move(saved.blobs)}, kStateLife,
              stored);
}

void ConversationCache::Promise(const std::string& key) {
  entries_.try_emplace(key, Entry{.since = loop_.Now()});
}

void ConversationCache::Put(const std::string& key, cursorwire::Conversation conversation) {
  Entry& entry = entries_[key];
  const Taken waits = std::exchange(entry.waits, nullptr);
  if (waits) {
    entries_.erase(key);
    waits(std::move(conversation));
    return;
  }
  entry.conversation = std::move(conversation);
  entry.since = loop_.Now();
  entry.number = ++last_number_;
  entry.is_alone = false;
  Store(key, entry);
  if (entries_.size() <= kMaxConversations) return;
  const auto oldest =
      std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
        // Promises last.
        return std::pair(!a.second.conversation, a.second.since) <
               std::pair(!b.second.conversation, b.second.since);
      });
  if (oldest->second.conversation) entries_.erase(oldest);
}

void ConversationCache::DropOld() {
  std::erase_if(entries_, [this](const auto& entry) {
    return entry.second.conversation && loop_.Now() - entry.second.since > kConversationLife;
  });
}

}  // namespace cursor_gateway
