#ifndef CURSORWIRE_SRC_CHANNEL_WAITING_STREAM_QUEUE_H_
#define CURSORWIRE_SRC_CHANNEL_WAITING_STREAM_QUEUE_H_

#include <absl/base/thread_annotations.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "channel/waiting/batch_queue.h"
#include "channel/waiting/credit_account.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/stream.h"

namespace cursorwire::connect {

// What stands between the holder of the poll role and the user of a Stream.
class Stream::Queue final : public CallObserver {
 public:
  // The user's side.
  std::optional<absl::StatusOr<std::string>> Next(const Call& call) { return messages_.Pop(call); }
  // From any thread.
  void DropMessages() { messages_.Drop(); }
  ResponseHead WaitForHead(const Call& call);
  Headers trailers() const;
  // Until `call` has few unsent bytes, or has ended.
  void WaitUntilWritable(const Call& call);

  // The channel's side.
  CallbackThread callback_thread() const override { return CallbackThread::kAny; }
  void OnStart(const Call& call) override {
    messages_.Open(std::make_shared<internal::CreditAccount>(call));
  }
  void OnHead(ResponseHead head) override;
  void OnMessage(const MessageView& message) override;
  void OnBatchEnd() override { messages_.Flush(); }
  void OnWritable() override;
  void OnEnd(CallEnd end) override;

 private:
  internal::BatchQueue<std::string> messages_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ResponseHead> head_ ABSL_GUARDED_BY(mutex_);
  Headers trailers_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_SRC_CHANNEL_WAITING_STREAM_QUEUE_H_
