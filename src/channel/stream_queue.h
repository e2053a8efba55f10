#ifndef CURSORWIRE_SRC_CHANNEL_STREAM_QUEUE_H_
#define CURSORWIRE_SRC_CHANNEL_STREAM_QUEUE_H_

#include <absl/base/thread_annotations.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "channel/batch_queue.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/stream.h"

namespace cursorwire::connect {

// What stands between the holder of the poll role and the user of a Stream.
class Stream::Queue final : public CallObserver {
 public:
  explicit Queue(size_t window_bytes) : messages_(window_bytes) {}

  // The user's side.
  std::optional<absl::StatusOr<std::string>> Next(const Call& call);
  // From any thread: messages that wait are dropped, and kCancelled stands in their place.
  void DropMessages() { dropping_ = true; }
  ResponseHead WaitForHead(const Call& call);
  Headers trailers() const;
  // Until `call` has few unsent bytes, or has ended.
  void WaitUntilWritable(const Call& call);

  // The channel's side.
  CallbackThread callback_thread() const override { return CallbackThread::kAny; }
  void OnHead(ResponseHead head) override;
  void OnMessage(const MessageView& message) override;
  void OnBatchEnd() override { messages_.Flush(); }
  void OnWritable() override;
  void OnEnd(CallEnd end) override;

 private:
  BatchQueue<absl::StatusOr<std::string>> messages_;
  std::atomic<bool> dropping_ = false;
  bool dropped_ = false;  // the user's: messages whose end was not told yet

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ResponseHead> head_ ABSL_GUARDED_BY(mutex_);
  Headers trailers_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_SRC_CHANNEL_STREAM_QUEUE_H_
