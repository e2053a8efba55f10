#include "observer_client.h"

#include <chrono>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "our_options.h"
#include "text_message.h"

namespace cursorwire::bench {
namespace {

using std::chrono::steady_clock;

class Counter final : public connect::CallObserver {
 public:
  Counter(const Work& work, Latencies* latencies) : work_(work), latencies_(latencies) {}

  // With the last message for calls that stay open, and with the end of others.
  std::future<absl::Status> done() { return done_.get_future(); }

  void OnStart(const connect::Call& call) override {
    call_ = call;
    if (work_.shape.kind == ShapeKind::kPingPong) return Ping();
    call_.CloseSend();
  }

  void OnMessage(const connect::MessageView& message) override {
    ++messages_;
    call_.ReleaseCredit(message.credit);
    if (work_.shape.kind == ShapeKind::kIdle) return done_.set_value(absl::OkStatus());
    if (work_.shape.kind != ShapeKind::kPingPong) return;
    latencies_->push_back(steady_clock::now() - sent_);
    if (messages_ < work_.messages) return Ping();
    call_.CloseSend();
  }

  void OnEnd(connect::CallEnd end) override {
    if (work_.shape.kind == ShapeKind::kIdle && messages_ > 0) return;  // done before
    const bool short_of = end.status.ok() && messages_ != work_.messages;
    done_.set_value(short_of
                        ? absl::InternalError("observer: a call with another number of messages")
                        : end.status);
  }

 private:
  void Ping() {
    sent_ = steady_clock::now();
    // Fails only if the call ends; OnEnd() reports why.
    (void)call_.Send(TextMessage(work_.shape.message_bytes));
  }

  const Work work_;
  Latencies* const latencies_;  // of a ping-pong only
  connect::Call call_;
  size_t messages_ = 0;
  steady_clock::time_point sent_;
  std::promise<absl::Status> done_;
};

}  // namespace

absl::Status ObserverClient::Run(const Work& work, Latencies& latencies) {
  std::vector<std::future<absl::Status>> calls;
  for (size_t i = 0; i < work.streams; ++i) {
    const auto counter = std::make_shared<Counter>(work, &latencies);
    calls.push_back(counter->done());
    channel_.Start({.path = kRunPath, .options = CallOptionsFor(work)}, counter);
  }
  absl::Status first;
  for (auto& call : calls) first.Update(call.get());
  return first;
}

absl::Status ObserverClient::Hold(size_t streams) {
  Latencies none;
  return Run({.shape = *FindShape("idle"), .messages = 1, .streams = streams}, none);
}

}  // namespace cursorwire::bench
