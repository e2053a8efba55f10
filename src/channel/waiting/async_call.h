#ifndef CURSORWIRE_SRC_CHANNEL_WAITING_ASYNC_CALL_H_
#define CURSORWIRE_SRC_CHANNEL_WAITING_ASYNC_CALL_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "channel/waiting/batch_queue.h"
#include "channel/waiting/credit_account.h"
#include "channel/waiting/waiter_slots.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/coroutine.h"

namespace cursorwire::connect::internal {

// The messages of a call on their way to coroutines.
class AsyncCall final : public CallObserver, public WaiterSlots {
 public:
  using WaiterSlots::WaiterSlots;

  // The coroutines' side, any thread.
  void Attach(const Call& call);
  void DropMessages() { messages_.Drop(); }
  // Once kMessage is ready; nullopt after the end.
  std::optional<absl::StatusOr<std::string>> TakeMessage() { return messages_.TryPop(); }
  ResponseHead head() const;
  Headers trailers() const;

  // The channel's side.
  void OnStart(const Call& call) override { messages_.Open(std::make_shared<CreditAccount>(call)); }
  void OnHead(ResponseHead head) override;
  void OnMessage(const MessageView& message) override {
    messages_.Push(std::string(message.bytes), message.credit);
  }
  void OnBatchEnd() override;
  void OnWritable() override { ResumeReady(); }
  void OnEnd(CallEnd end) override;

 private:
  bool Has(For what) const override;

  mutable BatchQueue<std::string> messages_;  // who waits does not take
  mutable std::mutex mutex_;
  Call call_ ABSL_GUARDED_BY(mutex_);
  std::optional<ResponseHead> head_ ABSL_GUARDED_BY(mutex_);
  Headers trailers_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_WAITING_ASYNC_CALL_H_
