#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_

#include <cursorwire/client.h>
#include <cursorwire/conversation.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "http/event_loop.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

inline constexpr size_t kMaxConversations = 128;
inline constexpr std::chrono::hours kConversationLife{1};

// Conversations that may go on, by the key of what was said in them (ConversationKey). Who takes
// one has it alone, among all processes that share the state. What is in memory need not be read
// from there, but it must still be taken there. Without an answer of the state there is nothing to
// take: another process may have it. On the loop's thread.
class ConversationCache {
 public:
  // nullopt: there is none.
  using Taken = std::function<void(std::optional<cursorwire::Conversation>)>;

  // `state` may be nullptr: then there is the memory alone. All that is given outlives it.
  ConversationCache(EventLoop& loop, const cursorwire::Client& client, StateKeeper* state)
      : loop_(loop), client_(client), state_(state) {}

  // Calls `taken` now, or when a promise is kept, or when the state has answered.
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
    uint64_t number = 0;    // that no other has
    bool is_alone = false;  // it did not get into the state
  };

  void TakeStored(const std::string& key, Taken taken);
  void Store(const std::string& key, Entry& entry);
  void DropOld();

  EventLoop& loop_;
  const cursorwire::Client& client_;
  StateKeeper* const state_;
  uint64_t last_number_ = 0;
  std::map<std::string, Entry> entries_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_
