// Room: src/client/waiting
#ifndef CURSORWIRE_ASYNC_CHAT_H_
#define CURSORWIRE_ASYNC_CHAT_H_

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>

#include "cursorwire/chat.h"
#include "cursorwire/connect/coroutine.h"
#include "cursorwire/export.h"

namespace cursorwire {

// ChatStream, for C++20 coroutines: Client::ChatAsync(). connect/coroutine.h says where a coroutine
// goes on, and when what it waits for may be destroyed. This library has no task type: its
// awaitables work in coroutines of any task type.
//
//   Task<absl::Status> Answer(const Client& client) {
//     const ChatRequest request{.prompt = "hi"};
//     AsyncChat answer = client.ChatAsync(request);
//     while (auto event = co_await answer.Next()) {
//       if (!event->ok()) co_return event->status();   // always the last element
//       Show(**event);
//     }
//   }
//
// Errors and memory: as of ChatStream. One coroutine at a time may wait for an event; another one
// gets kFailedPrecondition. It may outlive its Client. Destroying it cancels the turn and does not
// wait; a coroutine that waits goes on with kCancelled. One that was moved from may only be
// destroyed or assigned to.
class CURSORWIRE_EXPORT AsyncChat {
 public:
  class CURSORWIRE_HIDDEN Events;

  class [[nodiscard]] CURSORWIRE_EXPORT NextEvent final : public connect::AsyncWait {
   public:
    explicit NextEvent(const std::shared_ptr<Events>& events);
    std::optional<absl::StatusOr<ChatEvent>> await_resume();

   private:
    std::shared_ptr<Events> events_;
  };

  ~AsyncChat();
  AsyncChat(AsyncChat&&) noexcept;
  AsyncChat& operator=(AsyncChat&&) noexcept;

  // As ChatStream::conversation_id().
  std::string conversation_id() const;
  // `co_await` gives the next event, then the error if there is one, then always nullopt.
  NextEvent Next();
  // Tells the service to stop: within about half a second Next() gives kCancelled, after the
  // events that came before. From any thread.
  void Cancel();

 private:
  friend class Client;
  friend class Conversation;
  AsyncChat(std::shared_ptr<class ChatTurn> turn, std::shared_ptr<Events> events);
  void GiveUp();

  std::shared_ptr<class ChatTurn> turn_;  // shared with the client's thread
  std::shared_ptr<Events> events_;        // shared with the turn and those that wait
};

}  // namespace cursorwire

#endif  // CURSORWIRE_ASYNC_CHAT_H_
