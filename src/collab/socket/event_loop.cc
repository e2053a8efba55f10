#include "collab/socket/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <utility>

#include "collab/socket/event_loop_impl.h"

namespace cursorwire::collab {

EventLoop::EventLoop() : io_(std::make_unique<Io>()) {}

EventLoop::~EventLoop() = default;

void EventLoop::Run() noexcept {
  auto work = boost::asio::make_work_guard(io_->context);
  io_->context.run();
  work.reset();  // stops the context if it is the last work, so it goes first
  io_->context.restart();
}

void EventLoop::Stop() {
  Post([this] { io_->context.stop(); });
}

void EventLoop::Post(std::function<void()> function) {
  boost::asio::post(io_->context, std::move(function));
}

struct Timer::State {
  State(EventLoop& loop, std::function<void()> call)
      : timer(loop.io().context), function(std::move(call)) {}

  boost::asio::steady_timer timer;
  std::function<void()> function;
  uint64_t number = 0;  // of the last SetDeadline(): a wait that is already due cannot be cancelled
};

Timer::Timer(EventLoop& loop, std::function<void()> function)
    : state_(std::make_shared<State>(loop, std::move(function))) {}

Timer::~Timer() { SetDeadline(std::nullopt); }

void Timer::SetDeadline(std::optional<Deadline> deadline) {
  const uint64_t number = ++state_->number;
  if (!deadline) {
    state_->timer.cancel();
    return;
  }
  state_->timer.expires_at(*deadline);
  state_->timer.async_wait([state = state_, number](const boost::system::error_code& error) {
    if (!error && state->number == number) state->function();
  });
}

}  // namespace cursorwire::collab
