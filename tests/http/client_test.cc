#include "http/client.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "net/poller.h"

namespace cursorwire::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A port of this machine that takes no more connections: one more hangs.
class FullPort {
 public:
  FullPort() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockets_.push_back(listener);
    EXPECT_EQ(::bind(listener, Generic(), sizeof(address_)), 0);
    EXPECT_EQ(::listen(listener, 0), 0);
    socklen_t size = sizeof(address_);
    EXPECT_EQ(::getsockname(listener, Generic(), &size), 0);
    for (int i = 0; i < 4; ++i) {
      sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      (void)::connect(sockets_.back(), Generic(), sizeof(address_));
    }
  }
  ~FullPort() {
    for (const int fd : sockets_) ::close(fd);
  }
  FullPort(const FullPort&) = delete;
  FullPort& operator=(const FullPort&) = delete;

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/mcp";
  }

 private:
  sockaddr* Generic() { return reinterpret_cast<sockaddr*>(&address_); }

  sockaddr_in address_{};
  std::vector<int> sockets_;
};

TEST(HttpClient, GivesAConnectionUpAfterTheTimeOfTheConfiguration) {
  const FullPort port;
  const auto client = Client::Create({.url = port.url(), .connect_timeout = milliseconds(50)});
  ASSERT_TRUE(client.ok()) << client.status();
  const auto before = steady_clock::now();
  (*client)->Start({.id = 1, .method = "POST", .body = "{}"});
  std::optional<Event> event;
  while (!(event = (*client)->NextEvent())) {
    net::Poller poller;
    (*client)->Watch(poller, true);
    poller.Wait((*client)->deadline());
    (*client)->Handle(poller);
  }
  ASSERT_TRUE(std::holds_alternative<End>(event->what));
  EXPECT_FALSE(std::get<End>(event->what).status.ok());
  const auto time = steady_clock::now() - before;
  EXPECT_GE(time, milliseconds(40));  // clocks may differ a little
  EXPECT_LT(time, milliseconds(8'000));
}

}  // namespace
}  // namespace cursorwire::http
