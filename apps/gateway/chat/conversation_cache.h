#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_

#include <cursorwire/client.h>
#include <cursorwire/conversation.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "state/state_keeper.h"

namespace cursor_gateway {

// What is kept of a conversation are completed turns alone: a request that goes on from it knows of
// no others, and any gateway goes on with the same.
cursorwire::ConversationOptions CompletedTurns();

// Conversations that may go on, by the key of what was said in them (ConversationKey). Who takes
// one has it alone, among all processes that share the state. On the loop's thread.
class ConversationCache {
 public:
  // nullopt: there is none, or the state cannot be asked.
  using Taken = std::function<void(std::optional<cursorwire::Conversation>)>;

  // All that is given outlives it.
  ConversationCache(const cursorwire::Client& client, StateKeeper& state)
      : client_(client), state_(state) {}

  // Calls `taken` when a promise is kept, or when the state has answered.
  void Take(const std::string& key, Taken taken);

  // A turn is complete, and Put() follows when the service has sent the rest of its state.
  void Promise(const std::string& key) { promised_.try_emplace(key); }
  // `client_key` names whom it belongs to.
  void Put(const std::string& key, const std::string& client_key,
           cursorwire::Conversation conversation);

 private:
  const cursorwire::Client& client_;
  StateKeeper& state_;
  std::map<std::string, Taken> promised_;  // and who waits; empty: nobody
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_CONVERSATION_CACHE_H_
