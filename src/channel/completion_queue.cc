#include "cursorwire/connect/completion_queue.h"

#include <absl/base/thread_annotations.h>
#include <absl/container/flat_hash_map.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "channel/credit_account.h"
#include "net/poller.h"

namespace cursorwire::connect {

CreditHold::~CreditHold() {
  if (account_ != nullptr) account_->Add(credit_);
}

// Between the threads of the channels and those of the user. No lock is held while a call is used:
// that takes the lock of its channel.
class CompletionQueue::Shared {
 public:
  // The user's threads.
  bool Open(const Feed* feed);
  void Register(const Feed* feed, const Call& call);
  std::optional<Completion> Pop();
  std::optional<Completion> Pop(TimePoint deadline);
  std::optional<Completion> TryPop();
  void Shutdown();
  void CancelAll();
  // Nothing is kept any more.
  void Close();
  bool finished() const {
    const std::lock_guard lock(mutex_);
    return IsFinished();
  }

  // The channels' threads. Both leave `completions` empty, or not needed any more.
  void Push(std::vector<Completion>& completions);
  void PushLast(const Feed* feed, std::vector<Completion>& completions);

 private:
  bool IsFinished() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return shut_down_ && calls_.empty() && ready_.empty();
  }
  bool HasAnswer() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !ready_.empty() || IsFinished();
  }
  void Add(std::vector<Completion>& completions) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<Completion> Take() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // threads, those that are woken just now included
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Completion> ready_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<const Feed*, Call> calls_ ABSL_GUARDED_BY(mutex_);  // that have not ended
};

// The observer of one call. All but the constructor: the channel's thread.
class CompletionQueue::Feed final : public CallObserver {
 public:
  Feed(std::shared_ptr<Shared> shared, uint64_t tag) : shared_(std::move(shared)), tag_(tag) {}

  void OnStart(const Call& call) override {
    call_ = call;
    account_ = std::make_shared<CreditAccount>(call);
  }
  void OnHead(ResponseHead head) override { Add(std::move(head)); }
  void OnMessage(const MessageView& message) override {
    Add(ReceivedMessage{.bytes = std::string(message.bytes),
                        .credit = CreditHold(account_, message.credit)});
  }
  void OnBatchEnd() override {
    if (!incoming_.empty()) shared_->Push(incoming_);
    incoming_.clear();
  }
  void OnWritable() override {
    Add(Writable{});
    OnBatchEnd();
  }
  void OnEnd(CallEnd end) override {
    Add(std::move(end));
    shared_->PushLast(this, incoming_);
    incoming_.clear();
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
  std::shared_ptr<CreditAccount> account_;  // with the messages that were handed out
  std::vector<Completion> incoming_;
};

bool CompletionQueue::Shared::Open(const Feed* feed) {
  const std::lock_guard lock(mutex_);
  return !shut_down_ && calls_.emplace(feed, Call()).second;
}

void CompletionQueue::Shared::Register(const Feed* feed, const Call& call) {
  const std::lock_guard lock(mutex_);
  // It may have ended meanwhile.
  if (const auto found = calls_.find(feed); found != calls_.end()) found->second = call;
}

std::optional<Completion> CompletionQueue::Shared::Pop() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.wait(lock, [this] { return HasAnswer(); });
  --waiting_;
  return Take();
}

std::optional<Completion> CompletionQueue::Shared::Pop(TimePoint deadline) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.wait_until(lock, deadline, [this] { return HasAnswer(); });
  --waiting_;
  return Take();
}

std::optional<Completion> CompletionQueue::Shared::TryPop() {
  const std::lock_guard lock(mutex_);
  return Take();
}

std::optional<Completion> CompletionQueue::Shared::Take() {
  if (ready_.empty()) return std::nullopt;
  std::optional<Completion> result = std::move(ready_.front());
  ready_.pop_front();
  if (IsFinished()) {
    changed_.notify_all();
  } else if (!ready_.empty() && waiting_ > 0) {
    changed_.notify_one();
  }
  return result;
}

void CompletionQueue::Shared::Push(std::vector<Completion>& completions) {
  const std::lock_guard lock(mutex_);
  Add(completions);
}

void CompletionQueue::Shared::PushLast(const Feed* feed, std::vector<Completion>& completions) {
  Call call;  // let go without the lock
  const std::lock_guard lock(mutex_);
  if (const auto found = calls_.find(feed); found != calls_.end()) {
    call = std::move(found->second);
    calls_.erase(found);
  }
  Add(completions);
}

void CompletionQueue::Shared::Add(std::vector<Completion>& completions) {
  if (closed_) return;
  for (Completion& completion : completions) ready_.push_back(std::move(completion));
  if (waiting_ > 0) changed_.notify_one();
}

void CompletionQueue::Shared::Shutdown() {
  const std::lock_guard lock(mutex_);
  shut_down_ = true;
  if (IsFinished()) changed_.notify_all();
}

void CompletionQueue::Shared::CancelAll() {
  std::vector<Call> calls;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [feed, call] : calls_) calls.push_back(call);
  }
  for (const Call& call : calls) call.Cancel();
}

void CompletionQueue::Shared::Close() {
  std::deque<Completion> unwanted;
  const std::lock_guard lock(mutex_);
  shut_down_ = true;
  closed_ = true;
  unwanted.swap(ready_);
}

CompletionQueue::CompletionQueue() : shared_(std::make_shared<Shared>()) {}

CompletionQueue::~CompletionQueue() {
  shared_->Close();
  shared_->CancelAll();
}

Call CompletionQueue::Start(const Channel& channel, const CallRequest& request, uint64_t tag) {
  return StartOn(channel, request, tag);
}

Call CompletionQueue::Start(const ConnectionPin& pin, const CallRequest& request, uint64_t tag) {
  return StartOn(pin, request, tag);
}

template <typename Target>
Call CompletionQueue::StartOn(const Target& target, const CallRequest& request, uint64_t tag) {
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
