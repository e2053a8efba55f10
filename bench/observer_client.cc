#include "observer_client.h"

#include <chrono>
#include <future>
#include <memory>

namespace cursorwire::bench {
namespace {

using std::chrono::steady_clock;

class Counter final : public connect::CallObserver {
 public:
  Counter(const Work& work, Latencies& latencies) : work_(work), latencies_(latencies) {}

  std::future<absl::Status> end() { return end_.get_future(); }

  void OnStart(const connect::Call& call) override {
    call_ = call;
    if (work_.shape.kind == ShapeKind::kPingPong) return Ping();
    call_.CloseSend();
  }

  void OnMessage(const connect::MessageView& message) override {
    ++messages_;
    call_.ReleaseCredit(message.credit);
    if (work_.shape.kind != ShapeKind::kPingPong) return;
    latencies_.push_back(steady_clock::now() - sent_);
    if (messages_ < work_.messages) return Ping();
    call_.CloseSend();
  }

  void OnEnd(connect::CallEnd end) override {
    const bool short_of = end.status.ok() && messages_ != work_.messages;
    end_.set_value(short_of
                       ? absl::InternalError("observer: a call with another number of messages")
                       : end.status);
  }

 private:
  void Ping() {
    sent_ = steady_clock::now();
    // Fails only if the call ends; OnEnd() reports why.
    (void)call_.Send(std::string(work_.shape.message_bytes, 'm'));
  }

  const Work& work_;
  Latencies& latencies_;
  connect::Call call_;
  size_t messages_ = 0;
  steady_clock::time_point sent_;
  std::promise<absl::Status> end_;
};

}  // namespace

absl::Status ObserverClient::Run(const Work& work, Latencies& latencies) {
  const auto counter = std::make_shared<Counter>(work, latencies);
  std::future<absl::Status> end = counter->end();
  channel_.Start({.path = std::string("/") + work.shape.name,
                  .options = {.headers = {{kCountHeader, std::to_string(work.messages)}}}},
                 counter);
  return end.get();
}

}  // namespace cursorwire::bench
