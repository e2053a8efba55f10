#include "channel/loop/proxied_socket.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <future>
#include <string>
#include <vector>

#include "cursorwire/connect/tls_options.h"
#include "net/resolver.h"
#include "support/status_matchers.h"
#include "support/test_proxy.h"

namespace cursorwire::connect::internal {
namespace {

using test::IsOk;

void AwaitSocket(int fd, int events) {
  pollfd entry{.fd = fd, .events = static_cast<short>(events), .revents = 0};
  ::poll(&entry, 1, -1);
}

// How many bytes come until the other end closes.
size_t CountAll(const net::LoopbackListener& listener) {
  AwaitSocket(listener.fd(), POLLIN);
  const std::optional<net::Socket> socket = listener.Accept();
  std::vector<char> buffer(64 * 1024);
  for (size_t bytes = 0;;) {
    AwaitSocket(socket->fd(), POLLIN);
    const auto count = socket->Read(buffer);
    if (!count.ok() || *count == 0u) return bytes;
    bytes += count->value_or(0);
  }
}

net::Socket ConnectTo(int port) {
  const auto waker = *net::Waker::Create();
  const auto lookup = net::Lookup::Start("127.0.0.1", port, waker);
  net::Socket socket = *net::Socket::Connect((**lookup->result())[0]);
  AwaitSocket(socket.fd(), POLLOUT);
  return socket;
}

// What the kernel does not take at once waits within, and is neither lost nor taken twice.
TEST(ProxiedSocket, FlushesWhatItHasTaken) {
  constexpr size_t kBytes = 4'000'000;
  const test::TestProxy proxy({.kind = proxy::ProxyKind::kHttps});
  const net::LoopbackListener listener = *net::LoopbackListener::Open();
  std::future<size_t> received =
      std::async(std::launch::async, [&listener] { return CountAll(listener); });
  const std::string url = proxy.url();
  net::Socket socket = ConnectTo(std::stoi(url.substr(url.rfind(':') + 1)));
  const int small = 4096;
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
  const auto trust = *tls::ClientContext::Create({.ca_pem = proxy.ca_pem()}, tls::Protocol::kHttp1);
  auto made = ProxiedSocket::ToProxy(std::move(socket),
                                     {.kind = proxy::ProxyKind::kHttps, .host = "localhost"},
                                     "ample.test", listener.port(), trust.get());
  ASSERT_THAT(made, IsOk());
  ProxiedSocket& proxied = *made;
  std::vector<char> buffer(64 * 1024);
  while (!proxied.is_up()) {
    ASSERT_THAT(proxied.Write(""), IsOk());
    AwaitSocket(proxied.fd(), POLLIN);
    ASSERT_THAT(proxied.Read(buffer, [](std::string_view) {}), IsOk());
  }
  const std::string bytes(kBytes, 'x');
  const auto taken = proxied.Write(bytes);
  ASSERT_THAT(taken, IsOk());
  EXPECT_EQ(*taken, kBytes);
  EXPECT_TRUE(proxied.wants_write()) << "the kernel has no room for all of it";
  while (proxied.wants_write()) {
    AwaitSocket(proxied.fd(), POLLOUT);
    ASSERT_THAT(proxied.Write(""), IsOk());
  }
  ::shutdown(proxied.fd(), SHUT_WR);
  EXPECT_EQ(received.get(), kBytes);
}

}  // namespace
}  // namespace cursorwire::connect::internal
