#include "signals.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "http/asio_api.h"
// Behind it.
#include <boost/asio/signal_set.hpp>

namespace cursor_gateway {

namespace {
constexpr int kSignalExit = 128;
}  // namespace

class Signals::Impl {
 public:
  Impl(EventLoop& loop, std::function<void()> first, std::function<void()> last)
      : loop_(loop),
        first_(std::move(first)),
        last_(std::move(last)),
        signals_(loop.io().context, SIGTERM, SIGINT) {
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
  const std::function<void()> last_;
  boost::asio::signal_set signals_;
};

Signals::Signals(EventLoop& loop, std::function<void()> first, std::function<void()> last)
    : impl_(std::make_unique<Impl>(loop, std::move(first), std::move(last))) {}
Signals::~Signals() = default;

}  // namespace cursor_gateway
