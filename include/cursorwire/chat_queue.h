#ifndef CURSORWIRE_CHAT_QUEUE_H_
#define CURSORWIRE_CHAT_QUEUE_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "cursorwire/chat.h"
#include "cursorwire/chat_observer.h"
#include "cursorwire/client.h"
#include "cursorwire/connect/credit_hold.h"
#include "cursorwire/export.h"

namespace cursorwire {

// One event of a turn, and the right of the service to send as much again.
struct ReceivedEvent {
  ChatEvent event;
  connect::CreditHold credit{};
};

// The turn is over: exactly one, and the last of a turn. Errors as of ChatStream.
struct ChatEnd {
  absl::Status status{};
};

// Something that happened in one turn.
struct ChatCompletion {
  uint64_t tag = 0;  // what ChatQueue::Start() was given
  std::variant<ReceivedEvent, ChatEnd> what;
};

// What happens in any number of turns, of any clients, in one line: for programs that have threads
// of their own and want no callbacks. connect::CompletionQueue does the same for calls; order,
// memory, wake-ups and threads are as there.
//
//   ChatQueue queue;
//   queue.Start(client, {.prompt = "hi"}, /*tag=*/7);
//   queue.Shutdown();  // no other turns
//   while (std::optional<ChatCompletion> next = queue.Next()) {
//     if (const auto* received = std::get_if<ReceivedEvent>(&next->what)) Show(received->event);
//     if (const auto* end = std::get_if<ChatEnd>(&next->what)) Finish(next->tag, end->status);
//   }
class CURSORWIRE_EXPORT ChatQueue {
 public:
  ChatQueue();
  // Cancels all turns and does not wait for the network; nobody hears of their ends.
  ~ChatQueue();
  ChatQueue(const ChatQueue&) = delete;
  ChatQueue& operator=(const ChatQueue&) = delete;

  // As Client::Chat(), with what happens coming from Next(). `tag` means nothing to the queue and
  // need not be unique. After Shutdown(): starts nothing, and returns no turn.
  ChatCall Start(const Client& client, const ChatRequest& request, uint64_t tag);

  // Waits for the next completion. nullopt: Shutdown() was called, all turns have ended, and their
  // completions were taken.
  std::optional<ChatCompletion> Next();
  // Also nullopt: nothing came in `timeout`; finished() tells which.
  std::optional<ChatCompletion> Next(std::chrono::milliseconds timeout);
  // Does not wait.
  std::optional<ChatCompletion> TryNext();

  // No new turns. Those that are open go on to their ends: CancelAll() makes them short.
  void Shutdown();
  // Cancels the turns that are open; their ends come as completions.
  void CancelAll();
  // There will be no completion any more.
  bool finished() const;

 private:
  class CURSORWIRE_HIDDEN Feed;
  class CURSORWIRE_HIDDEN Shared;

  const std::shared_ptr<Shared> shared_;  // shared with the threads of the clients
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CHAT_QUEUE_H_
