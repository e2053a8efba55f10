#include "signals.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "http/asio_api.h"
// After it.
#include <boost/asio/signal_set.hpp>

namespace cursor_gateway {

namespace {
constexpr int kSignalExit = 128;
}  // namespace

class Signals::Impl {
 public:
  explicit Impl(EventLoop& loop) : loop_(loop), signals_(loop.io().context, SIGTERM, SIGINT) {}

  void Handle(std::function<void()> first, std::function<void()> last) {
    first_ = std::move(first);
    last_ = std::move(last);
    Wait();
  }

 private:
  void Wait() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      const std::function<void()> first = std::exchange(first_, nullptr);
      if (!first) {
        last_();
        ::_exit(kSignalExit + signal);
      }
      Wait();
      first();
      loop_.ServeTimers();
    });
  }

  EventLoop& loop_;
  std::function<void()> first_;
  std::function<void()> last_;
  boost::asio::signal_set signals_;
};

Signals::Signals(EventLoop& loop) : impl_(std::make_unique<Impl>(loop)) {}
Signals::~Signals() = default;

void Signals::Handle(std::function<void()> first, std::function<void()> last) {
  impl_->Handle(std::move(first), std::move(last));
}

}  // namespace cursor_gateway
