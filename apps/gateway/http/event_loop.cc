#include "http/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <exception>

#include "http/asio_api.h"

namespace cursor_gateway {

EventLoop::EventLoop(Clock clock) : clock_(std::move(clock)), io_(std::make_unique<Io>()) {}

EventLoop::~EventLoop() = default;

void EventLoop::Run() {
  const auto work = boost::asio::make_work_guard(io_->context);
  bool stopped = false;
  while (!stopped) {
    stopped = Call([this] {
      ServeTimers();
      io_->context.run();
    });
  }
  io_->context.restart();
}

bool EventLoop::Call(absl::FunctionRef<void()> function) {
  try {
    function();
    return true;
  } catch (const std::exception& failure) {
    if (!on_failure_) throw;
    on_failure_(failure.what());
    return false;
  }
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
  const TimerKey key{Now() + time, ++last_timer_};
  timers_->emplace(key, std::move(function));
  return Timer(nullptr, [key, weak = std::weak_ptr(timers_)](void*) {
    if (const auto timers = weak.lock()) timers->erase(key);
  });
}

void EventLoop::ServeTimers() {
  const TimePoint now = Now();
  while (!timers_->empty() && timers_->begin()->first.first <= now) {
    const auto due = timers_->extract(timers_->begin());
    due.mapped()();
  }
  if (timers_->empty()) {
    io_->wake.cancel();
    return;
  }
  io_->wake.expires_after(timers_->begin()->first.first - Now());
  io_->wake.async_wait([this](const boost::system::error_code& error) {
    if (!error) ServeTimers();
  });
}

}  // namespace cursor_gateway
