// The program behind an HTTP proxy.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>

#include <array>
#include <future>
#include <string>
#include <thread>

#include "net/socket.h"
#include "process_support.h"

namespace h2_bridge {
namespace {

using cursorwire::net::LoopbackListener;
using cursorwire::net::Socket;
using cursorwire::test::TestServer;
using testing::HasSubstr;
using testing::StartsWith;

void AwaitEvent(int fd, short events) {
  pollfd entry{.fd = fd, .events = events, .revents = 0};
  ::poll(&entry, 1,
         static_cast<int>(std::chrono::milliseconds(cursorwire::test::kPatience).count()));
}

// Reads until a blank line has come.
std::string ReadHead(Socket& socket) {
  std::string head;
  while (head.find("\r\n\r\n") == std::string::npos) {
    AwaitEvent(socket.fd(), POLLIN);
    std::array<char, 1024> buffer{};
    const auto count = socket.Read(buffer);
    if (!count.ok() || !count->has_value() || **count == 0) break;
    head.append(buffer.data(), **count);
  }
  return head;
}

// Takes one connection, and answers its head.
class ProxyOfOneAnswer {
 public:
  explicit ProxyOfOneAnswer(std::string answer)
      : head_(std::async(std::launch::async, [this, answer = std::move(answer)] {
          AwaitEvent(listener_.fd(), POLLIN);
          std::optional<Socket> socket = listener_.Accept();
          if (!socket) return std::string();
          std::string head = ReadHead(*socket);
          (void)socket->Write(answer);
          return head;
        })) {}

  std::string url() const {
    return "http://user:pass@127.0.0.1:" + std::to_string(listener_.port());
  }
  std::string head() { return cursorwire::test::WaitFor(head_); }

 private:
  LoopbackListener listener_ = *LoopbackListener::Open();
  std::future<std::string> head_;
};

TEST(BridgeProxyProcess, IsAskedForATunnel) {
  ProxyOfOneAnswer proxy("HTTP/1.1 407 Who are you?\r\n\r\n");
  Child bridge(CURSOR_H2_BRIDGE,
               {.arguments = {"--proxy-from-env"}, .environment = {"https_proxy=" + proxy.url()}});
  bridge.Send(ConfigOf("https://example.invalid", "/p"));
  EXPECT_EQ(proxy.head(),
            "CONNECT example.invalid:443 HTTP/1.1\r\nHost: example.invalid:443\r\n"
            "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n");
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_EQ(bridge.ReadErrors(),
            "[h2-bridge] client error: the proxy refuses the tunnel: HTTP 407\n");
}

TEST(BridgeProxyProcess, CarriesTheConnection) {
  // A server that greets as a proxy does: what follows is HTTP/2.
  TestServer server({.routes = {{"/answer", AnswerWith("all")}}});
  LoopbackListener listener = *LoopbackListener::Open();
  const std::string proxy = "http://127.0.0.1:" + std::to_string(listener.port());
  Child bridge(CURSOR_H2_BRIDGE,
               {.arguments = {"--proxy-from-env"}, .environment = {"http_proxy=" + proxy}});
  bridge.Send(ConfigOf(server.url(), "/answer"));
  std::thread tunnel([&] {
    AwaitEvent(listener.fd(), POLLIN);
    std::optional<Socket> client = listener.Accept();
    ASSERT_TRUE(client.has_value());
    EXPECT_THAT(ReadHead(*client), StartsWith("CONNECT 127.0.0.1:"));
    cursorwire::net::Address address{.size = sizeof(sockaddr_in)};
    auto& ip4 = reinterpret_cast<sockaddr_in&>(address.storage);
    ip4.sin_family = AF_INET;
    ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string url = server.url();
    ip4.sin_port = htons(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    auto upstream = Socket::Connect(address);
    ASSERT_TRUE(upstream.ok());
    AwaitEvent(upstream->fd(), POLLOUT);
    (void)client->Write("HTTP/1.1 200 Here you are\r\n\r\n");
    for (;;) {
      std::array<pollfd, 2> entries{{{.fd = client->fd(), .events = POLLIN, .revents = 0},
                                     {.fd = upstream->fd(), .events = POLLIN, .revents = 0}}};
      ::poll(entries.data(), entries.size(), -1);
      for (Socket* from : {&*client, &*upstream}) {
        Socket& to = from == &*client ? *upstream : *client;
        std::array<char, 4096> buffer{};
        const auto count = from->Read(buffer);
        if (!count.ok() || (count->has_value() && **count == 0)) return;
        if (count->has_value()) (void)to.Write({buffer.data(), **count});
      }
    }
  });
  EXPECT_EQ(bridge.ReadBytes(3), "all");
  EXPECT_EQ(bridge.Wait(), 0);
  tunnel.join();
}

TEST(BridgeProxyProcess, IsNotUsedUnlessItIsAskedFor) {
  TestServer server({.routes = {{"/answer", AnswerWith("all")}}});
  Child bridge(CURSOR_H2_BRIDGE, {.environment = {"http_proxy=" + cursorwire::test::RefusedUrl()}});
  bridge.Send(ConfigOf(server.url(), "/answer"));
  EXPECT_EQ(bridge.ReadBytes(3), "all");
  EXPECT_EQ(bridge.Wait(), 0);
}

}  // namespace
}  // namespace h2_bridge
