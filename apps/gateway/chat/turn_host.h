#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_TURN_HOST_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_TURN_HOST_H_

#include <cursorwire/chat_observer.h>
#include <cursorwire/connect/call.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "chat/turn_feed.h"
#include "http/event_loop.h"
#include "metrics.h"

namespace cursor_gateway {

// What may come after the end of a turn: the last state of the conversation.
inline constexpr std::chrono::seconds kTurnEndWait{2};
// Bytes that wait for a client at which the service is asked for no more.
inline constexpr size_t kMaxUnsentBytes = size_t{64} * 1024;

// What every turn has, in whatever form it is answered: the feed of its events, the answer of the
// client that waits, the credit of what that client has not taken, the time after its end, and its
// counts. On the loop's thread; kept by shared pointers, since the feed holds a weak one.
template <typename Answer>
class TurnHost : public TurnListener, public std::enable_shared_from_this<TurnHost<Answer>> {
 public:
  ~TurnHost() override {
    call_.Cancel();
    EndRun();
  }

 protected:
  TurnHost(EventLoop& loop, Metrics& metrics) : loop_(loop), metrics_(metrics) {}

  // The client hears no more of the turn: its answer is released, and the service told to stop.
  virtual void Leave() = 0;

  void BeginRun() {
    running_ = true;
    ++metrics_.runs;
    ++metrics_.runs_active;
  }
  void EndRun() {
    if (std::exchange(running_, false)) --metrics_.runs_active;
  }
  const std::shared_ptr<TurnFeed>& NewFeed() {
    return feed_ = std::make_shared<TurnFeed>(loop_, this->weak_from_this());
  }

  void Attach(std::shared_ptr<Answer> answer) {
    answer_ = std::move(answer);
    answer_->OnWritable([this] { holds_.clear(); });
    answer_->OnGone([this] {
      const auto self = this->shared_from_this();
      if (running_) ++metrics_.cancelled;
      Leave();
    });
  }
  // The credit of an event goes back once the client has taken what was sent to it.
  void Hold(cursorwire::connect::CreditHold hold) {
    if (answer_->unsent_bytes() > kMaxUnsentBytes) holds_.push_back(std::move(hold));
  }
  // Nobody waits for an answer any more.
  void Release() {
    holds_.clear();
    if (answer_ == nullptr) return;
    answer_->OnGone(nullptr);
    answer_->OnWritable(nullptr);
    answer_.reset();
  }
  void AwaitLastState() {
    end_timer_ = loop_.After(kTurnEndWait, [this] { call_.Cancel(); });
  }

  EventLoop& loop_;
  Metrics& metrics_;
  std::shared_ptr<TurnFeed> feed_;
  cursorwire::ChatCall call_;
  std::shared_ptr<Answer> answer_;  // none: nobody waits for one
  EventLoop::Timer end_timer_;

 private:
  std::vector<cursorwire::connect::CreditHold> holds_;  // of what the client has not taken
  bool running_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_TURN_HOST_H_
