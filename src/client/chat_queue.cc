#include "cursorwire/chat_queue.h"

#include <utility>
#include <vector>

#include "channel/completion_box.h"
#include "cursorwire/connect/time_point.h"
#include "net/poller.h"

namespace cursorwire {

class ChatQueue::Shared final : public connect::internal::CompletionBox<ChatCompletion, ChatCall> {
};

// The observer of one turn. Runs on the client's thread, except for its constructor.
class ChatQueue::Feed final : public ChatObserver {
 public:
  Feed(std::shared_ptr<Shared> shared, uint64_t tag) : shared_(std::move(shared)), tag_(tag) {}

  void OnEvent(ChatEvent event, connect::CreditHold hold) override {
    incoming_.push_back({.tag = tag_, .what = ReceivedEvent{std::move(event), std::move(hold)}});
  }
  void OnBatchEnd() override {
    if (!incoming_.empty()) shared_->Push(incoming_);
  }
  void OnEnd(absl::Status status) override {
    incoming_.push_back({.tag = tag_, .what = ChatEnd{std::move(status)}});
    shared_->PushLast(this, incoming_);
  }

 private:
  const std::shared_ptr<Shared> shared_;  // shared with the queue and the other turns
  const uint64_t tag_;
  std::vector<ChatCompletion> incoming_;
};

ChatQueue::ChatQueue() : shared_(std::make_shared<Shared>()) {}

ChatQueue::~ChatQueue() {
  shared_->Close();
  shared_->CancelAll();
}

ChatCall ChatQueue::Start(const Client& client, const ChatRequest& request, uint64_t tag) {
  const auto feed = std::make_shared<Feed>(shared_, tag);
  if (!shared_->Open(feed.get())) return ChatCall();
  ChatCall call = client.Chat(request, feed);
  shared_->Register(feed.get(), call);
  return call;
}

std::optional<ChatCompletion> ChatQueue::Next() { return shared_->Pop(); }

std::optional<ChatCompletion> ChatQueue::Next(std::chrono::milliseconds timeout) {
  return shared_->Pop(connect::After(net::Now(), timeout));
}

std::optional<ChatCompletion> ChatQueue::TryNext() { return shared_->TryPop(); }
void ChatQueue::Shutdown() { shared_->Shutdown(); }
void ChatQueue::CancelAll() { shared_->CancelAll(); }
bool ChatQueue::finished() const { return shared_->finished(); }

}  // namespace cursorwire
