#include "cursorwire/connect/completion_queue.h"

#include <utility>
#include <vector>

#include "channel/completion_box.h"
#include "channel/credit_account.h"
#include "net/poller.h"

namespace cursorwire::connect {

class CompletionQueue::Shared final : public internal::CompletionBox<Completion, Call> {};

// The observer of one call. All but the constructor: the channel's thread.
class CompletionQueue::Feed final : public CallObserver {
 public:
  Feed(std::shared_ptr<Shared> shared, uint64_t tag) : shared_(std::move(shared)), tag_(tag) {}

  void OnStart(const Call& call) override {
    call_ = call;
    account_ = std::make_shared<internal::CreditAccount>(call);
  }
  void OnHead(ResponseHead head) override { Add(std::move(head)); }
  void OnMessage(const MessageView& message) override {
    account_->Take(message.credit);
    Add(ReceivedMessage{.bytes = std::string(message.bytes),
                        .credit = CreditHold(account_, message.credit)});
  }
  void OnBatchEnd() override {
    if (!incoming_.empty()) shared_->Push(incoming_);
  }
  void OnWritable() override {
    Add(Writable{});
    OnBatchEnd();
  }
  void OnEnd(CallEnd end) override {
    Add(std::move(end));
    shared_->PushLast(this, incoming_);
    // It holds this observer, until the channel lets it go.
    call_ = Call();
  }

 private:
  template <typename What>
  void Add(What what) {
    incoming_.push_back({.tag = tag_, .call = call_, .what = std::move(what)});
  }

  const std::shared_ptr<Shared> shared_;  // with the queue and the other calls
  const uint64_t tag_;
  Call call_;
  std::shared_ptr<internal::CreditAccount> account_;  // with the messages that were handed out
  std::vector<Completion> incoming_;
};

CompletionQueue::CompletionQueue() : shared_(std::make_shared<Shared>()) {}

CompletionQueue::~CompletionQueue() {
  shared_->Close();
  shared_->CancelAll();
}

Call CompletionQueue::Start(const CallTarget& target, const CallRequest& request, uint64_t tag) {
  const auto feed = std::make_shared<Feed>(shared_, tag);
  if (!shared_->Open(feed.get())) return Call();
  Call call = target.Start(request, feed);
  shared_->Register(feed.get(), call);
  return call;
}

std::optional<Completion> CompletionQueue::Next() { return shared_->Pop(); }

std::optional<Completion> CompletionQueue::Next(std::chrono::milliseconds timeout) {
  return shared_->Pop(After(net::Now(), timeout));
}

std::optional<Completion> CompletionQueue::TryNext() { return shared_->TryPop(); }
void CompletionQueue::Shutdown() { shared_->Shutdown(); }
void CompletionQueue::CancelAll() { shared_->CancelAll(); }
bool CompletionQueue::finished() const { return shared_->finished(); }

}  // namespace cursorwire::connect
