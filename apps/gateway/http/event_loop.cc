#include "http/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "http/asio_api.h"

namespace cursor_gateway {

EventLoop::EventLoop(Clock clock) : clock_(std::move(clock)), io_(std::make_unique<Io>()) {}

EventLoop::~EventLoop() = default;

void EventLoop::Run() {
  const auto work = boost::asio::make_work_guard(io_->context);
  ServeTimers();
  io_->context.run();
  io_->context.restart();
}

void EventLoop::Stop() {
  Post([this] { io_->context.stop(); });
}

void EventLoop::Post(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  boost::asio::post(io_->context, [this, function = std::move(function)] {
    if (closed_) return;
    function();
    ServeTimers();
  });
}

void EventLoop::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  io_->context.restart();
  io_->context.poll();
}

EventLoop::Timer EventLoop::After(std::chrono::milliseconds time, std::function<void()> function) {
  return timers_.At(Now() + time, std::move(function));
}

void EventLoop::ServeTimers() {
  timers_.RunDue(Now());
  const std::optional<TimePoint> next = timers_.NextDeadline();
  if (!next) {
    io_->wake.cancel();
    return;
  }
  io_->wake.expires_after(*next - Now());
  io_->wake.async_wait([this](const boost::system::error_code& error) {
    if (!error) ServeTimers();
  });
}

}  // namespace cursor_gateway
