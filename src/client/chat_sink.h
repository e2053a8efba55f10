#ifndef CURSORWIRE_SRC_CLIENT_CHAT_SINK_H_
#define CURSORWIRE_SRC_CLIENT_CHAT_SINK_H_

#include <absl/status/status.h>

#include <cstddef>
#include <memory>

#include "channel/credit_account.h"
#include "cursorwire/chat.h"
#include "cursorwire/connect/call.h"

namespace cursorwire {

// Where the events of a turn go: one class for each way in which a user takes them. All functions
// are called by the holder of the poll role, one at a time; Close() alone, if no call is made, by
// the thread that asked.
class ChatSink {
 public:
  virtual ~ChatSink() = default;

  // Which thread may hold the role.
  virtual connect::CallbackThread callback_thread() const { return connect::CallbackThread::kAny; }

  // Once, before the first event: who gets credit back. Not if no call is made.
  virtual void Open(std::shared_ptr<connect::internal::CreditAccount> account) = 0;
  // `credit` was not taken from the account yet; it is 0 for most.
  virtual void Push(ChatEvent event, size_t credit) = 0;
  // The end of a batch.
  virtual void Flush() = 0;
  // Flushes; nothing comes after that.
  virtual void Close(absl::Status status) = 0;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_CHAT_SINK_H_
