#ifndef CURSORWIRE_SRC_CLIENT_WAITING_ASYNC_CHAT_EVENTS_H_
#define CURSORWIRE_SRC_CLIENT_WAITING_ASYNC_CHAT_EVENTS_H_

#include <memory>
#include <optional>
#include <utility>

#include "channel/waiting/batch_queue.h"
#include "channel/waiting/waiter_slots.h"
#include "client/turn/chat_sink.h"
#include "cursorwire/async_chat.h"

namespace cursorwire {

// Passes the events of a turn to a coroutine.
class AsyncChat::Events final : public ChatSink, public connect::internal::WaiterSlots {
 public:
  using WaiterSlots::WaiterSlots;

  // The coroutine's side.
  std::optional<absl::StatusOr<ChatEvent>> TakeEvent() { return events_.TryPop(); }
  // Waiting events are no longer handed out. Callable from any thread.
  void Drop() { events_.Drop(); }

  // The channel's side. Coroutines go on within these calls: see connect/coroutine.h.
  connect::CallbackThread callback_thread() const override {
    return connect::CallbackThread::kChannel;
  }
  void Open(std::shared_ptr<connect::internal::CreditAccount> account) override {
    events_.Open(std::move(account));
  }
  void Push(ChatEvent&& event, size_t credit) override { events_.Push(std::move(event), credit); }
  void Flush() override {
    events_.Flush();
    ResumeReady();
  }
  void Close(absl::Status status) override {
    events_.Close(std::move(status));
    ResumeReady();
  }

 private:
  bool Has(For what) const override { return what == For::kMessage && events_.ready(); }

  mutable connect::internal::BatchQueue<ChatEvent> events_;  // mutable: ready() locks but takes
                                                             // nothing
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_WAITING_ASYNC_CHAT_EVENTS_H_
