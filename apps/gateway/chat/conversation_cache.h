#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_

#include <cursorwire/conversation.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "http/event_loop.h"

namespace cursor_gateway {

inline constexpr size_t kMaxConversations = 128;
inline constexpr std::chrono::hours kConversationLife{1};

// Conversations that may go on, by the key of what was said in them (ConversationKey). Who takes
// one has it alone. On the loop's thread.
class ConversationCache {
 public:
  // nullopt: there is none.
  using Taken = std::function<void(std::optional<cursorwire::Conversation>)>;

  explicit ConversationCache(EventLoop& loop) : loop_(loop) {}

  // Calls `taken` now, or when a promise is kept.
  void Take(const std::string& key, Taken taken);

  // A turn is complete, and Put() follows when the service has sent the rest of its state.
  void Promise(const std::string& key);
  // The oldest makes room.
  void Put(const std::string& key, cursorwire::Conversation conversation);

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::optional<cursorwire::Conversation> conversation{};  // nullopt: it was promised
    Taken waits{};
    TimePoint since{};
  };

  void DropOld();

  EventLoop& loop_;
  std::map<std::string, Entry> entries_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_
