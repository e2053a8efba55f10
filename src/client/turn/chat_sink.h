#ifndef CURSORWIRE_SRC_CLIENT_TURN_CHAT_SINK_H_
#define CURSORWIRE_SRC_CLIENT_TURN_CHAT_SINK_H_

#include <absl/status/status.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "channel/waiting/credit_account.h"
#include "cursorwire/chat.h"
#include "cursorwire/connect/call.h"

namespace cursorwire {

// Receives the events of a turn: one subclass for each way in which a user can take them. The
// holder of the poll role makes all calls, one at a time. If no call is made to the server, the
// thread that asked calls Close() and nothing else of these.
class ChatSink {
 public:
  virtual ~ChatSink() = default;

  // The threads that may hold the role.
  virtual connect::CallbackThread callback_thread() const { return connect::CallbackThread::kAny; }

  // Called once, before the first event, with the account that returns credit. Not called if no
  // call is made to the server.
  virtual void Open(std::shared_ptr<connect::internal::CreditAccount> account) = 0;
  // `credit` was not yet taken from the account; it is 0 for most events.
  virtual void Push(ChatEvent&& event, size_t credit) = 0;
  // The same of a TextDelta.
  virtual void PushText(std::string_view text, size_t credit) {
    Push(TextDelta{std::string(text)}, credit);
  }
  // A batch has ended.
  virtual void Flush() = 0;
  // Flushes; no other function is called afterwards.
  virtual void Close(absl::Status status) = 0;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_CHAT_SINK_H_
