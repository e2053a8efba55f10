#ifndef CURSORWIRE_CONNECT_COMPLETION_QUEUE_H_
#define CURSORWIRE_CONNECT_COMPLETION_QUEUE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/call_target.h"
#include "cursorwire/connect/connection_event.h"
#include "cursorwire/connect/credit_hold.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// One message of a call, and the right of the server to send as much again.
struct ReceivedMessage {
  std::string bytes{};
  CreditHold credit{};
};

// Something that happened to one call.
struct Completion {
  uint64_t tag = 0;  // what CompletionQueue::Start() was given
  Call call{};       // the call; none where its channel was closed before it was started
  // Writable: unsent bytes over kSendHighWater have fallen below kSendLowWater.
  // CallEnd: exactly one, and the last of a call.
  std::variant<ResponseHead, ReceivedMessage, Writable, CallEnd> what{};
};

// What happens to any number of calls, of any channels, in one line: for programs that have threads
// of their own and want no callbacks.
//
//   CompletionQueue queue;
//   Call call = queue.Start(channel, request, /*tag=*/7);
//   call.Send(bytes);
//   call.CloseSend();
//   while (std::optional<Completion> next = queue.Next()) {
//     if (const auto* message = std::get_if<ReceivedMessage>(&next->what)) Use(message->bytes);
//     if (const auto* end = std::get_if<CallEnd>(&next->what)) Finish(next->tag, end->status);
//   }
//
// Order: the completions of one call come in the order in which they happened. Threads that take
// them at once must not rely on who is done first.
// Memory: credit goes back when a completion is destroyed. So of each call at most the stream's
// window plus one message is here or in completions that the user keeps; a server whose messages
// are kept stops, and no other call does.
// Wake-ups: one for all that one read of the connection brought a call; a thread that leaves
// completions after wakes the next one that waits.
// Thread-safe, but for its destructor: no thread may be in a function of it then.
class CURSORWIRE_EXPORT CompletionQueue {
 public:
  CompletionQueue();
  // Cancels all calls and does not wait for the network; nobody hears of their ends.
  ~CompletionQueue();
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  // As CallTarget::Start(), with what happens coming from Next(). `tag` means nothing to the queue
  // and need not be unique. After Shutdown(): starts nothing, and returns an empty Call.
  Call Start(const CallTarget& target, const CallRequest& request, uint64_t tag);

  // Waits for the next completion. nullopt: Shutdown() was called, all calls have ended, and their
  // completions were taken.
  std::optional<Completion> Next();
  // Also nullopt: nothing came in `timeout`; finished() tells which.
  std::optional<Completion> Next(std::chrono::milliseconds timeout);
  // Does not wait.
  std::optional<Completion> TryNext();

  // No new calls. Those that are open go on to their ends: CancelAll() makes them short.
  void Shutdown();
  // Cancels the calls that are open; their ends come as completions.
  void CancelAll();
  // There will be no completion any more.
  bool finished() const;

 private:
  class CURSORWIRE_HIDDEN Feed;
  class CURSORWIRE_HIDDEN Shared;

  const std::shared_ptr<Shared> shared_;  // shared with the threads of the channels
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_COMPLETION_QUEUE_H_
