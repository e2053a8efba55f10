#include "chat/conversation_cache.h"

#include <algorithm>
#include <utility>

namespace cursor_gateway {

void ConversationCache::Take(const std::string& key, Taken taken) {
  DropOld();
  const auto it = entries_.find(key);
  if (it == entries_.end() || it->second.waits) {
    taken(std::nullopt);
    return;
  }
  if (!it->second.conversation) {
    it->second.waits = std::move(taken);
    return;
  }
  cursorwire::Conversation conversation = *std::move(it->second.conversation);
  entries_.erase(it);
  taken(std::move(conversation));
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
