// The program behind an HTTP proxy.
#include <gmock/gmock.h>
#include <poll.h>

#include <array>
#include <future>
#include <string>

#include "net/socket.h"
#include "process_support.h"
#include "support/pair.h"
#include "support/scratch_folder.h"
#include "support/test_proxy.h"

namespace h2_bridge {
namespace {

using cursorwire::net::LoopbackListener;
using cursorwire::net::Socket;
using cursorwire::test::TestServer;
using testing::HasSubstr;

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
            "[h2-bridge] client error: the proxy refuses the tunnel: HTTP 407 Who are you?: is its "
            "password right?\n");
}

TEST(BridgeProxyProcess, CarriesTheConnection) {
  using cursorwire::proxy::ProxyKind;
  const TestServer server({.security = cursorwire::connect::Security::kTls,
                           .routes = {{"/answer", AnswerWith("all")}}});
  const cursorwire::test::ScratchFolder folder;
  folder.Write("ca.pem", cursorwire::test::TestIdentity::Get().ca_pem);
  const std::string url = server.url();
  const std::string target = "https://ample.test" + url.substr(url.rfind(':'));
  for (const ProxyKind kind : {ProxyKind::kHttp, ProxyKind::kSocks5h}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const cursorwire::test::TestProxy proxy({.kind = kind, .user = "u", .password = "p"});
    Child bridge(CURSOR_H2_BRIDGE,
                 {.arguments = {"--proxy-from-env", "--cacert", folder.At("ca.pem")},
                  .environment = {"https_proxy=" + proxy.url("u:p")}});
    bridge.Send(ConfigOf(target, "/answer"));
    EXPECT_EQ(bridge.ReadBytes(3), "all");
    EXPECT_EQ(bridge.Wait(), 0);
    EXPECT_THAT(proxy.requests(), testing::ElementsAre(HasSubstr("ample.test")));
  }
}

TEST(BridgeProxyProcess, IsNotUsedForThisMachine) {
  TestServer server({.routes = {{"/answer", AnswerWith("all")}}});
  Child bridge(CURSOR_H2_BRIDGE, {.arguments = {"--proxy-from-env"},
                                  .environment = {"http_proxy=" + cursorwire::test::RefusedUrl()}});
  bridge.Send(ConfigOf(server.url(), "/answer"));
  EXPECT_EQ(bridge.ReadBytes(3), "all");
  EXPECT_EQ(bridge.Wait(), 0);
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
