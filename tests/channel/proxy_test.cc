// Channels whose connections go through a proxy: docs/proxies.md.
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/probe.h"
#include "support/errors.h"
#include "support/pair.h"
#include "support/test_proxy.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using namespace std::chrono_literals;
using proxy::ProxyKind;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using test::TestProxy;
using test::TestServer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

ChannelOptions Through(const std::string& proxy_url, const std::string& more_ca_pem = "") {
  return {.tls = {.ca_pem = test::TestIdentity::Get().ca_pem + more_ca_pem},
          .proxy = {.url = proxy_url}};
}

absl::StatusOr<UnaryResponse> Say(const std::string& url, const ChannelOptions& options,
                                  const CallOptions& call = {}) {
  const absl::StatusOr<Channel> channel = Channel::Create(url, options);
  if (!channel.ok()) return channel.status();
  return channel->Unary("/unary", "hi", call);
}

class ProxyTest : public ::testing::Test {
 protected:
  // With another host's name, which nothing here knows.
  std::string UrlOfUnknownName() const {
    const std::string url = server_.url();
    return "https://api.ample.test" + url.substr(url.rfind(':'));
  }

  const TestServer server_{{.security = Security::kTls}};
};

TEST_F(ProxyTest, CarriesCallsThroughEachKind) {
  for (const ProxyKind kind :
       {ProxyKind::kHttp, ProxyKind::kHttps, ProxyKind::kSocks5, ProxyKind::kSocks5h}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const TestProxy proxy({.kind = kind});
    EXPECT_THAT(Say(server_.url(), Through(proxy.url(), proxy.ca_pem())), IsOk());
    EXPECT_THAT(proxy.requests(), SizeIs(1));
  }
}

TEST_F(ProxyTest, CarriesMoreThanAllBuffersHold) {
  constexpr size_t kMessageBytes = 300'000;
  for (const ProxyKind kind : {ProxyKind::kHttp, ProxyKind::kHttps}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const TestProxy proxy({.kind = kind});
    const Channel channel = *Channel::Create(server_.url(), Through(proxy.url(), proxy.ca_pem()));
    Stream stream = channel.OpenStream("/echo");
    const std::string sent(kMessageBytes, 'x');
    for (int i = 0; i < 10; ++i) {
      ASSERT_THAT(stream.Send(sent), IsOk());
      const auto message = stream.Next();
      ASSERT_TRUE(message.has_value());
      ASSERT_THAT(*message, IsOk());
      EXPECT_TRUE(**message == sent);
    }
  }
}

TEST_F(ProxyTest, LogsInToEachKind) {
  for (const ProxyKind kind : {ProxyKind::kHttp, ProxyKind::kHttps, ProxyKind::kSocks5}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const TestProxy proxy({.kind = kind, .user = "u@x", .password = "p:q"});
    const std::string url = proxy.url("u%40x:p%3Aq");
    EXPECT_THAT(Say(server_.url(), Through(url, proxy.ca_pem())), IsOk());
  }
}

TEST_F(ProxyTest, TokenNeverReachesTheProxy) {
  const TestProxy proxy;
  EXPECT_THAT(Say(server_.url(), Through(proxy.url()),
                  {.headers = {{"authorization", "Bearer secret-token"}}}),
              IsOk());
  ASSERT_THAT(proxy.requests(), SizeIs(1));
  EXPECT_THAT(proxy.requests()[0],
              AllOf(StartsWith("CONNECT localhost:"), Not(HasSubstr("uthorization"))));
}

TEST_F(ProxyTest, NameGoesToTheProxyUnresolved) {
  for (const ProxyKind kind : {ProxyKind::kHttp, ProxyKind::kHttps, ProxyKind::kSocks5h}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const TestProxy proxy({.kind = kind});
    ChannelOptions options = Through(proxy.url(), proxy.ca_pem());
    options.tls.server_name = "localhost";
    EXPECT_THAT(Say(UrlOfUnknownName(), options), IsOk());
    EXPECT_THAT(proxy.requests(), ElementsAre(HasSubstr("api.ample.test")));
  }
}

TEST_F(ProxyTest, TlsNameIsTheServers) {
  const TestProxy proxy;
  EXPECT_THAT(Say(UrlOfUnknownName(), Through(proxy.url())),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("the certificate of api.ample.test is not trusted")));
}

TEST_F(ProxyTest, CertificateOfAProxyIsChecked) {
  const TestProxy proxy({.kind = ProxyKind::kHttps});
  const absl::Status status = Say(server_.url(), Through(proxy.url())).status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable,
                               AllOf(StartsWith("the proxy: "), HasSubstr("certificate"))));
  EXPECT_THAT(proxy.requests(), IsEmpty());
  EXPECT_EQ(server_.stats().accepted, 0);
}

TEST_F(ProxyTest, PasswordInNoMessage) {
  const TestProxy proxy({.user = "u", .password = "right"});
  const absl::Status wrong = Say(server_.url(), Through(proxy.url("u:secret-1"))).status();
  EXPECT_THAT(wrong, StatusIs(absl::StatusCode::kUnavailable,
                              AllOf(StartsWith("the proxy "), HasSubstr("is its password right?"),
                                    Not(HasSubstr("secret")))));
  EXPECT_THAT(wrong, HasOrigin(ErrorOrigin::kTransport));
  const std::string refused = absl::StrCat("http://u:secret-1@127.0.0.1:", test::RefusedPort());
  EXPECT_THAT(Say(server_.url(), Through(refused)).status(),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(StartsWith("the proxy 127.0.0.1:"), Not(HasSubstr("secret")))));
  EXPECT_THAT(Say(server_.url(), Through("ftp://u:secret-1@p")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("secret"))));
}

TEST_F(ProxyTest, RefusalIsNotRepeated) {
  const TestProxy proxy({.user = "u", .password = "right"});
  const CallOptions call{
      .timeout = 30s, .auto_replay = AutoReplay::kYes, .wait_for_ready = WaitForReady::kYes};
  EXPECT_THAT(Say(server_.url(), Through(proxy.url("u:wrong")), call).status(),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(proxy.requests(), SizeIs(1));
}

TEST_F(ProxyTest, ProxyClosesInTheTunnelIsReplayable) {
  const TestProxy proxy({.closes = 1});
  EXPECT_THAT(Say(server_.url(), Through(proxy.url())), IsOk());
  EXPECT_THAT(proxy.requests(), SizeIs(2));
  EXPECT_EQ(server_.stats().requests, 1);

  const TestProxy closing({.closes = 1});
  const absl::Status status =
      Say(server_.url(), Through(closing.url()), {.auto_replay = AutoReplay::kNo}).status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, StartsWith("the proxy closed")));
  EXPECT_TRUE(GetErrorInfo(status)->replay_safe);
}

TEST_F(ProxyTest, CallsWaitForAHostThatTheProxyCannotReachYet) {
  const TestProxy proxy({.answer = "HTTP/1.1 503 Not Now\r\n\r\n"});
  const absl::Status status = Say(server_.url(), Through(proxy.url()),
                                  {.timeout = 300ms, .wait_for_ready = WaitForReady::kYes})
                                  .status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_FALSE(proxy.requests().empty());
}

TEST_F(ProxyTest, DeadlineCoversTheTunnel) {
  const TestProxy proxy({.silent = true});
  ChannelOptions options = Through(proxy.url());
  options.http2.connect_timeout = 50ms;
  EXPECT_THAT(Say(server_.url(), options).status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("longer than 50 ms")));
}

TEST_F(ProxyTest, PoolKeepsProxiesApart) {
  const TestProxy first;
  const TestProxy second;
  const Channel a = *Channel::Create(server_.url(), Through(first.url()));
  const Channel b = *Channel::Create(server_.url(), Through(second.url()));
  const Channel direct = server_.Connect();
  for (int i = 0; i < 2; ++i) {
    for (const Channel* channel : {&a, &b, &direct}) {
      EXPECT_THAT(channel->Unary("/unary", "hi"), IsOk());
    }
  }
  EXPECT_THAT(first.requests(), SizeIs(1));
  EXPECT_THAT(second.requests(), SizeIs(1));
  EXPECT_EQ(server_.stats().accepted, 3);
}

TEST_F(ProxyTest, PlaintextGoesThroughNone) {
  const TestServer plain;
  const TestProxy proxy;
  EXPECT_THAT(Say(plain.url(), Through(proxy.url())), IsOk()) << "this machine";
  EXPECT_THAT(proxy.requests(), IsEmpty());
  ChannelOptions options = Through(proxy.url());
  options.plaintext_hosts = PlaintextHosts::kAny;
  EXPECT_THAT(Say("http://ample.test", options).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("proxy")));
}

TEST_F(ProxyTest, LibraryIgnoresTheEnvironmentUnlessItIsAsked) {
  const TestProxy proxy;
  ::setenv("https_proxy", proxy.url().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  ChannelOptions options;
  options.tls.server_name = "localhost";
  options.tls.ca_pem = test::TestIdentity::Get().ca_pem;
  options.http2.connect_timeout = 5s;
  EXPECT_FALSE(Say(UrlOfUnknownName(), options).ok()) << "nobody knows the name";
  EXPECT_THAT(proxy.requests(), IsEmpty());
  options.proxy.from_environment = true;
  EXPECT_THAT(Say(UrlOfUnknownName(), options), IsOk());
  EXPECT_THAT(proxy.requests(), SizeIs(1));
  EXPECT_THAT(Say(server_.url(), options), IsOk()) << "this machine";
  EXPECT_THAT(proxy.requests(), SizeIs(1));
  ::unsetenv("https_proxy");  // NOLINT(concurrency-mt-unsafe)
}

TEST_F(ProxyTest, ProbeHasAStepForIt) {
  for (const ProxyKind kind : {ProxyKind::kHttp, ProxyKind::kHttps, ProxyKind::kSocks5}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const TestProxy proxy({.kind = kind});
    const ProbeReport report = Probe(server_.url(), Through(proxy.url(), proxy.ca_pem()));
    ASSERT_TRUE(report.proxy.has_value());
    EXPECT_THAT(report.proxy->detail, StartsWith("a tunnel to localhost:"));
    ASSERT_TRUE(report.http2.has_value());
    for (const auto* step :
         {&report.name_resolution, &report.tcp, &report.proxy, &report.tls, &report.http2}) {
      EXPECT_THAT((*step)->status, IsOk());
    }
    EXPECT_THAT(report.name_resolution->detail, StartsWith("the proxy "));
  }
}

TEST_F(ProxyTest, ProbeSaysWhatTheProxyRefuses) {
  const TestProxy proxy({.user = "u", .password = "right"});
  const ProbeReport report = Probe(server_.url(), Through(proxy.url()));
  EXPECT_THAT(report.tcp->status, IsOk());
  EXPECT_THAT(report.proxy->status,
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("wants a user and a password")));
  EXPECT_FALSE(report.tls.has_value());
}

}  // namespace
}  // namespace cursorwire::connect
