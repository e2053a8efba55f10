#include "proxy/proxy_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/status_matchers.h"

namespace cursorwire::proxy {
namespace {

using connect::ProxyChoice;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<std::optional<Proxy>> Choose(const std::string& url, const ProxyChoice& choice,
                                            const Variables& variables) {
  const absl::StatusOr<Url> target = ParseUrl(url);
  EXPECT_THAT(target, IsOk());
  return ChooseProxy(*target, choice, [&variables](const char* name) {
    const auto variable = variables.find(name);
    return variable == variables.end() ? std::string() : variable->second;
  });
}

// The host of the proxy of the environment, or "direct", or "error".
std::string HostFor(const std::string& url, const Variables& variables) {
  const auto proxy = Choose(url, {.from_environment = true}, variables);
  if (!proxy.ok()) return "error";
  return proxy->has_value() ? (*proxy)->host : "direct";
}

TEST(ProxyChoice, IsDirectUnlessAsked) {
  EXPECT_FALSE(Choose("https://h", {}, {{"https_proxy", "http://p"}})->has_value());
  EXPECT_FALSE(
      Choose("https://h", {.url = "", .from_environment = true}, {{"https_proxy", "http://p"}})
          ->has_value());
}

TEST(ProxyChoice, HasEverythingFromItsUrl) {
  const auto proxy = Choose("https://h", {.from_environment = true},
                            {{"https_proxy", "SOCKS5h://u%40x:p%3Aq@[FD00::1]:99/"}});
  ASSERT_THAT(proxy, IsOk());
  ASSERT_TRUE(proxy->has_value());
  EXPECT_EQ((*proxy)->kind, ProxyKind::kSocks5h);
  EXPECT_EQ((*proxy)->host, "fd00::1");
  EXPECT_EQ((*proxy)->port, 99);
  ASSERT_TRUE((*proxy)->user);
  EXPECT_EQ((*proxy)->user->name, "u@x");
  EXPECT_EQ((*proxy)->user->password, "p:q");
}

TEST(ProxyChoice, HasAPortForEachScheme) {
  const struct {
    const char* url;
    ProxyKind kind;
    int port;
  } kCases[] = {{"p", ProxyKind::kHttp, 80},
                {"p:443", ProxyKind::kHttp, 443},
                {"http://p", ProxyKind::kHttp, 80},
                {"https://p", ProxyKind::kHttps, 443},
                {"socks5://[::1]", ProxyKind::kSocks5, 1080},
                {"socks5h://p:443", ProxyKind::kSocks5h, 443}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.url);
    const auto proxy = Choose("https://h", {.url = c.url}, {});
    ASSERT_THAT(proxy, IsOk());
    EXPECT_EQ((*proxy)->kind, c.kind);
    EXPECT_EQ((*proxy)->port, c.port);
    EXPECT_FALSE((*proxy)->user);
  }
}

TEST(ProxyChoice, UpperCaseHttpProxyIsIgnored) {
  EXPECT_EQ(HostFor("http://h", {{"HTTP_PROXY", "http://p"}}), "direct");
  EXPECT_EQ(HostFor("http://h", {{"http_proxy", "http://p"}}), "p");
  EXPECT_EQ(HostFor("http://h", {{"https_proxy", "http://p"}}), "direct");
  EXPECT_EQ(HostFor("https://h", {{"http_proxy", "http://p"}}), "direct");
  EXPECT_EQ(HostFor("https://h", {{"HTTPS_PROXY", "http://p"}}), "p");
}

TEST(ProxyChoice, LowerCaseWins) {
  EXPECT_EQ(HostFor("https://h", {{"https_proxy", "a"}, {"HTTPS_PROXY", "b"}}), "a");
  EXPECT_EQ(HostFor("https://h", {{"all_proxy", "a"}, {"ALL_PROXY", "b"}}), "a");
  EXPECT_EQ(HostFor("https://h", {{"HTTPS_PROXY", "a"}, {"all_proxy", "b"}}), "a");
  EXPECT_EQ(HostFor("http://h", {{"http_proxy", ""}, {"ALL_PROXY", "b"}}), "b");
  EXPECT_EQ(HostFor("https://h", {{"https_proxy", "a"}, {"no_proxy", "x"}, {"NO_PROXY", "h"}}),
            "a");
  EXPECT_EQ(HostFor("https://h", {{"https_proxy", "a"}, {"NO_PROXY", "h"}}), "direct");
}

TEST(ProxyChoice, LoopbackIgnoresTheEnvironment) {
  for (const char* url :
       {"http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1", "https://a.localhost"}) {
    EXPECT_EQ(HostFor(url, {{"all_proxy", "bad://"}}), "direct") << url;
  }
  EXPECT_TRUE(Choose("https://localhost:1", {.url = "p"}, {{"no_proxy", "*"}})->has_value())
      << "the option counts for every host";
  EXPECT_TRUE(Choose("http://h", {.url = "p"}, {})->has_value());
  EXPECT_FALSE(Choose("http://localhost:1", {.url = "p"}, {})->has_value()) << "without TLS";
}

TEST(ProxyChoice, BadProxyUrlIsAnErrorNotDirect) {
  for (const char* url :
       {"socks4://u:secret@p", "pac+http://secret", "http://u:secret@", "http://u:secret@p:0",
        "http://u:secret@p:x", "http://u:secret@p q", "http://p/secret", "://secret",
        "http://u:secret%4@p", "http://u:secret%@p", "http://u%zz:secret@p", "http://[::1"}) {
    SCOPED_TRACE(url);
    EXPECT_THAT(Choose("https://h", {.from_environment = true}, {{"https_proxy", url}}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("https_proxy: "), Not(HasSubstr("secret")))));
    EXPECT_THAT(Choose("https://h", {.url = url}, {}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("proxy"), Not(HasSubstr("secret")))));
  }
}

TEST(ProxyChoice, UserEndsAtTheLastAt) {
  const auto proxy =
      Choose("https://h", {.from_environment = true}, {{"https_proxy", "http://u@x:p@q@p:1"}});
  ASSERT_THAT(proxy, IsOk());
  EXPECT_EQ((*proxy)->user->name, "u@x");
  EXPECT_EQ((*proxy)->user->password, "p@q");
  EXPECT_EQ((*proxy)->host, "p");
}

}  // namespace
}  // namespace cursorwire::proxy
