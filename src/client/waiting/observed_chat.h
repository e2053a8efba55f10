#ifndef CURSORWIRE_SRC_CLIENT_WAITING_OBSERVED_CHAT_H_
#define CURSORWIRE_SRC_CLIENT_WAITING_OBSERVED_CHAT_H_

#include <memory>
#include <utility>

#include "client/turn/chat_sink.h"
#include "cursorwire/chat_observer.h"

namespace cursorwire {

// Passes the events of a turn to its user's observer.
class ObservedChat final : public ChatSink {
 public:
  // nullptr: events are discarded.
  explicit ObservedChat(std::shared_ptr<ChatObserver> observer) : observer_(std::move(observer)) {}

  connect::CallbackThread callback_thread() const override {
    return observer_ == nullptr ? connect::CallbackThread::kAny : observer_->callback_thread();
  }
  void Open(std::shared_ptr<connect::internal::CreditAccount> account) override {
    account_ = std::move(account);
  }
  void Push(ChatEvent&& event, size_t credit) override {
    if (credit > 0) account_->Take(credit);
    connect::CreditHold hold(credit > 0 ? account_ : nullptr, credit);
    if (observer_ == nullptr) return;
    has_news_ = true;
    observer_->OnEvent(std::move(event), std::move(hold));
  }
  void Flush() override {
    if (std::exchange(has_news_, false)) observer_->OnBatchEnd();
  }
  void Close(absl::Status status) override {
    // The turn may go on for a moment, but the observer must hear nothing more.
    has_news_ = false;
    if (const auto observer = std::exchange(observer_, nullptr)) observer->OnEnd(std::move(status));
  }

 private:
  std::shared_ptr<ChatObserver> observer_;  // shared with the user, until the end
  std::shared_ptr<connect::internal::CreditAccount> account_;
  bool has_news_ = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_WAITING_OBSERVED_CHAT_H_
