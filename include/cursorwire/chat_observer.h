// Room: src/client/waiting
#ifndef CURSORWIRE_CHAT_OBSERVER_H_
#define CURSORWIRE_CHAT_OBSERVER_H_

#include <absl/status/status.h>

#include <memory>
#include <string>

#include "cursorwire/chat.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/export.h"

namespace cursorwire {

// What happens in one turn, for programs that do not want to wait for it: Client::Chat() with an
// observer. All functions run on the client's thread unless callback_thread() allows any, one at a
// time for all turns of the client: they must return soon and never wait. The functions of ChatCall
// and Client::Chat() may be used in them. None may throw: an exception ends the program.
class CURSORWIRE_EXPORT ChatObserver {
 public:
  virtual ~ChatObserver() = default;

  // Asked once, before the turn starts: as CallObserver::callback_thread().
  virtual connect::CallbackThread callback_thread() const {
    return connect::CallbackThread::kChannel;
  }

  // The next event. Keep `hold` as long as what the event holds in memory, and no longer: until it
  // is destroyed, here or on any thread, the service may send that much less.
  virtual void OnEvent(ChatEvent event, connect::CreditHold hold) = 0;
  // After the events of one read of the connection: the time to wake a consumer, once for all.
  virtual void OnBatchEnd() {}
  // The turn is over: OK, or an error as of ChatStream. The last call, always. A request that is
  // refused before anything is sent ends here before Client::Chat() returns, on its thread.
  virtual void OnEnd(absl::Status status) = 0;
};

// A turn that was started with a ChatObserver; copies name the same turn, which goes on when all
// are gone. It may outlive its Client. Thread-safe.
class CURSORWIRE_EXPORT ChatCall {
 public:
  ChatCall() = default;  // no turn: nothing has an effect

  // As ChatStream::conversation_id(); empty if this is not a turn.
  std::string conversation_id() const;
  // Tells the service to stop, and returns at once. Within about half a second the turn ends with
  // kCancelled. Without effect on a turn that has ended.
  void Cancel() const;

 private:
  friend class Client;
  friend class Conversation;
  explicit ChatCall(std::shared_ptr<class ChatTurn> turn);

  std::shared_ptr<class ChatTurn> turn_;  // shared with the client's thread
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CHAT_OBSERVER_H_
