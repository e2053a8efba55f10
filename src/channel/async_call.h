#ifndef CURSORWIRE_SRC_CHANNEL_ASYNC_CALL_H_
#define CURSORWIRE_SRC_CHANNEL_ASYNC_CALL_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <array>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/credit_account.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/coroutine.h"

namespace cursorwire::connect {

// The messages of a call on their way to coroutines, and one place for a coroutine for each thing
// that can be waited for. A coroutine in its place is named by a ticket: whoever resumes it takes
// it out first, and whoever destroys it does the same, so that none is resumed after its end. The
// lock is never held while a coroutine, the executor or the call runs.
class AsyncCall final : public CallObserver, public std::enable_shared_from_this<AsyncCall> {
 public:
  using For = AsyncWait::For;
  enum class Suspension { kSuspended, kReady, kTaken };

  explicit AsyncCall(Executor executor) : executor_(std::move(executor)) {}

  // The coroutines' side, any thread.
  void Attach(const Call& call);
  bool IsReady(For what) const;
  // Writes `ticket` before the coroutine can go on.
  Suspension Suspend(For what, std::coroutine_handle<> coroutine, uint64_t& ticket);
  // Frees the place of a coroutine that was resumed, or must not be any more.
  void Leave(For what, uint64_t ticket);
  // Messages that wait are not handed out any more: the next element is the last, the error of the
  // call, or kCancelled.
  void DropMessages();
  // Once kMessage is ready; nullopt after the end.
  std::optional<absl::StatusOr<std::string>> TakeMessage();
  ResponseHead head() const;
  Headers trailers() const;

  // The channel's side.
  void OnStart(const Call& call) override { account_ = std::make_shared<CreditAccount>(call); }
  void OnHead(ResponseHead head) override;
  void OnMessage(const MessageView& message) override;
  void OnBatchEnd() override;
  void OnWritable() override { ResumeReady(); }
  void OnEnd(CallEnd end) override;

 private:
  struct Message {
    absl::StatusOr<std::string> bytes;
    size_t credit = 0;
  };
  struct Place {
    std::coroutine_handle<> coroutine{};  // until it is resumed
    uint64_t ticket = 0;                  // 0: nobody waits
    bool in_executor = false;             // that was asked to resume it
  };
  static constexpr size_t kPlaces = 4;

  Place& PlaceOf(For what) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return places_[static_cast<size_t>(what)];
  }
  std::optional<Message> TakeReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Has(For what) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MoveIncoming() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ResumeReady();
  void ResumeReady(For what);
  void Resume(For what, uint64_t ticket);

  const Executor executor_;
  // The channel's thread until a message is handed out, and nobody's to change after that.
  std::shared_ptr<CreditAccount> account_;
  std::vector<Message> incoming_;  // the channel's thread

  mutable std::mutex mutex_;
  Call call_ ABSL_GUARDED_BY(mutex_);
  std::deque<Message> ready_ ABSL_GUARDED_BY(mutex_);
  std::optional<ResponseHead> head_ ABSL_GUARDED_BY(mutex_);
  Headers trailers_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool dropping_ ABSL_GUARDED_BY(mutex_) = false;
  bool told_end_ ABSL_GUARDED_BY(mutex_) = false;  // the last element was handed out
  uint64_t last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::array<Place, kPlaces> places_ ABSL_GUARDED_BY(mutex_){};
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_SRC_CHANNEL_ASYNC_CALL_H_
