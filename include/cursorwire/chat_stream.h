// Room: src/client/waiting
#ifndef CURSORWIRE_CHAT_STREAM_H_
#define CURSORWIRE_CHAT_STREAM_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/stream.h"
#include "cursorwire/export.h"

namespace cursorwire {

// A whole turn, as ChatStream::Collect() gives it. A value.
struct ChatAnswer {
  std::string conversation_id{};
  std::string text{};                      // what the agent said
  std::string thinking{};                  // its reasoning
  std::vector<ToolCallInfo> tool_calls{};  // that were completed, in order
  std::vector<std::string> notices{};      // of the service, in order
  Usage usage{};                           // of TurnEnded
  std::optional<Checkpoint> checkpoint{};  // the last one
  bool state_lost = false;                 // StateLost came: do not go on from `checkpoint`
};

// The answer to one ChatRequest, as a blocking sequence that is read once.
//
//   for (const absl::StatusOr<ChatEvent>& event : stream) {   // the error, if any, is the last
//     if (!event.ok()) return event.status();
//     if (const auto* text = event->As<TextDelta>()) std::cout << text->text << std::flush;
//   }
//
// Errors, by absl::StatusCode (CodeText() has the names of the protocol, GetErrorInfo() the rest,
// RemedyOf() what a user can do):
//   kUnauthenticated, kPermissionDenied  the token is refused
//   kUnavailable         no connection, or it was lost before the end of the turn
//   kDeadlineExceeded    timeout or idle_timeout has passed, or the time to connect
//   kResourceExhausted   a limit of the account, or of a message's size
//   kCancelled           Cancel() was called, or the Client is gone
//   kInternal            the peer's bytes break a protocol (ErrorOrigin::kProtocol), or the server
//                        says so
//   and every other code that the server may send.
// No error or ServerNotice has the client's token in it, nor a piece of 16 bytes or more: see
// connect::Redactor.
// Memory: events wait here within the bound of the stream's window; the server is slowed down then.
// One thread reads; Cancel() may be called from any. It may outlive its Client. Destroying it
// cancels the turn and does not wait; one that was moved from may only be destroyed or assigned to.
class CURSORWIRE_EXPORT ChatStream {
 public:
  using Element = absl::StatusOr<ChatEvent>;

  ~ChatStream();
  ChatStream(ChatStream&&) noexcept;
  ChatStream& operator=(ChatStream&&) noexcept;

  // The id of the conversation, as the service knows it. It changes where a lost turn is told
  // again. From any thread.
  std::string conversation_id() const;

  // Waits for the next event. After an error, and after the end: nullopt.
  std::optional<Element> Next();
  // Waits for the end of the turn and returns the whole answer. Use it instead of Next(). Texts and
  // tool calls are kept up to `max_bytes` in all.
  //   the error of the turn
  //   kResourceExhausted  the answer is larger than `max_bytes`; the turn is cancelled
  absl::StatusOr<ChatAnswer> Collect(size_t max_bytes = kMaxCollectedBytes);
  static constexpr size_t kMaxCollectedBytes = size_t{64} * 1024 * 1024;
  // Tells the server to stop, and returns at once. Within about half a second Next() returns
  // kCancelled, after the events that came before. Without effect on a turn that has ended.
  void Cancel();

  using Iterator = connect::SinglePassIterator<ChatStream, Element>;
  // A single pass: begin() takes the next event.
  Iterator begin() { return Iterator(this); }
  std::default_sentinel_t end() const { return std::default_sentinel; }

 private:
  friend class Client;
  friend class Conversation;
  class CURSORWIRE_HIDDEN Events;
  ChatStream(std::shared_ptr<class ChatTurn> turn, std::shared_ptr<Events> events);

  std::shared_ptr<class ChatTurn> turn_;  // shared with the client's thread
  std::shared_ptr<Events> events_;        // shared with the turn
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CHAT_STREAM_H_
