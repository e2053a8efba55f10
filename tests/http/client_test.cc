#include "http/client.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "net/poller.h"
#include "support/test_proxy.h"

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

// The status of an answer, or the error.
absl::StatusOr<int> Ask(const ClientOptions& options) {
  const auto client = Client::Create(options);
  if (!client.ok()) return client.status();
  (*client)->Start({.id = 1, .method = "GET"});
  int status = 0;
  for (;;) {
    while (const std::optional<Event> event = (*client)->NextEvent()) {
      if (const auto* head = std::get_if<Head>(&event->what)) status = head->status;
      const auto* end = std::get_if<End>(&event->what);
      if (end != nullptr && !end->status.ok()) return end->status;
      if (end != nullptr) return status;
    }
    net::Poller poller;
    (*client)->Watch(poller, true);
    poller.Wait((*client)->deadline());
    (*client)->Handle(poller);
  }
}

TEST(HttpClient, GoesThroughTheProxyThatWasDecided) {
  const test::TestProxy proxy({.answer = "HTTP/1.1 204 No Content\r\n\r\n"});
  const absl::StatusOr<int> status =
      Ask({.url = "http://ample.test/mcp", .proxy = {.url = proxy.url("u:p%3Aq")}});
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(*status, 204);
  ASSERT_EQ(proxy.requests().size(), 1u);
  EXPECT_EQ(proxy.requests()[0].rfind("GET http://ample.test/mcp HTTP/1.1", 0), 0u);
  EXPECT_NE(proxy.requests()[0].find("Basic dTpwOnE="), std::string::npos) << "u:p:q";
}

TEST(HttpClient, AsksNoProxyOfTheEnvironmentForThisMachine) {
  const test::TestProxy server({.answer = "HTTP/1.1 204 No Content\r\n\r\n"});
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);  // NOLINT(concurrency-mt-unsafe)
  const absl::StatusOr<int> direct = Ask({.url = server.url() + "/mcp"});
  ::setenv("http_proxy", "ftp://secret", 1);  // NOLINT(concurrency-mt-unsafe)
  const absl::StatusOr<int> bad = Ask({.url = "http://ample.test/mcp"});
  ::unsetenv("http_proxy");  // NOLINT(concurrency-mt-unsafe)
  ASSERT_TRUE(direct.ok()) << direct.status();
  EXPECT_EQ(*direct, 204);
  EXPECT_EQ(bad.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace cursorwire::http
