#include "base/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cursorwire/connect/error_info.h"
#include "support/errors.h"

namespace cursorwire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ParseUrl, TakesUrlsApart) {
  struct Case {
    const char* text;
    bool https;
    const char* host;
    int port;
    const char* path;
    const char* authority;
  };
  constexpr Case kCases[] = {
      {"https://example.com", true, "example.com", 443, "", "example.com"},
      {"http://example.com", false, "example.com", 80, "", "example.com"},
      {"HTTPS://API.Example.COM/Path", true, "api.example.com", 443, "/Path", "api.example.com"},
      {"https://example.com:443/", true, "example.com", 443, "", "example.com"},
      {"http://example.com:443", false, "example.com", 443, "", "example.com:443"},
      {"https://example.com:80", true, "example.com", 80, "", "example.com:80"},
      {"https://example.com:65535", true, "example.com", 65535, "", "example.com:65535"},
      {"https://a:1/b/c", true, "a", 1, "/b/c", "a:1"},
      {"https://a/b/c//", true, "a", 443, "/b/c", "a"},
      {"https://a///", true, "a", 443, "", "a"},
      {"https://a/b?c=d/e#f", true, "a", 443, "/b", "a"},
      {"https://a?b@c", true, "a", 443, "", "a"},
      {"https://a#:0", true, "a", 443, "", "a"},
      {"https://a/b@c:d", true, "a", 443, "/b@c:d", "a"},
      {"https://a-b_c.d9", true, "a-b_c.d9", 443, "", "a-b_c.d9"},
      {"https://127.0.0.1:8443", true, "127.0.0.1", 8443, "", "127.0.0.1:8443"},
      {"https://[::1]", true, "::1", 443, "", "[::1]"},
      {"http://[2001:DB8::7]:81/x", false, "2001:db8::7", 81, "/x", "[2001:db8::7]:81"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    const absl::StatusOr<Url> url = ParseUrl(c.text);
    ASSERT_TRUE(url.ok()) << url.status();
    EXPECT_EQ(url->https, c.https);
    EXPECT_EQ(url->host, c.host);
    EXPECT_EQ(url->port, c.port);
    EXPECT_EQ(url->path, c.path);
    EXPECT_EQ(url->authority(), c.authority);
    EXPECT_THAT(url->address(), ::testing::StartsWith(c.authority));
    EXPECT_THAT(url->address(), ::testing::EndsWith(":" + std::to_string(url->port)));
  }
}

TEST(SplitUrl, TakesPiecesOfAnyUrl) {
  EXPECT_FALSE(SplitUrl("host:80/path").has_value());
  const auto whole = SplitUrl("X://a:b@c@h:1/p?q#f");
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->scheme, "X");
  EXPECT_EQ(whole->authority, "a:b@c@h:1");
  EXPECT_EQ(whole->user, "a:b@c");
  EXPECT_EQ(whole->host_and_port, "h:1");
  EXPECT_EQ(whole->rest, "/p?q#f");
  const auto short_one = SplitUrl("://h?a@b");
  ASSERT_TRUE(short_one.has_value());
  EXPECT_EQ(short_one->scheme, "");
  EXPECT_EQ(short_one->user, std::nullopt);
  EXPECT_EQ(short_one->host_and_port, "h");
  EXPECT_EQ(short_one->rest, "?a@b");
}

TEST(ParseUrl, RefusesWhatIsNoUrlOfAServer) {
  struct Case {
    const char* text;
    const char* why;
  };
  constexpr Case kCases[] = {
      {"", "https://"},
      {"example.com", "https://"},
      {"://example.com", "https://"},
      {"ftp://example.com", "https://"},
      {" https://example.com", "https://"},
      {"https:/example.com", "https://"},
      {"https://", "no host"},
      {"https:///path", "no host"},
      {"https://:443", "no host"},
      {"https://[]", "no host"},
      {"https://?a.b", "no host"},
      {"https://[::1", "bracket"},
      {"https://[::1]443", "port"},
      {"https://[::1]:", "port"},
      {"https://a:", "port"},
      {"https://a:0", "port"},
      {"https://a:-1", "port"},
      {"https://a:65536", "port"},
      {"https://a:99999999999999999999", "port"},
      {"https://a:1x", "port"},
      {"https://a:0x50", "port"},
      {"https://a:1:2", "port"},
      {"https://user@a", "user name"},
      {"https://user:secret@a", "user name"},
      {"https://a@b@c", "user name"},
      {"https://a b", "character"},
      {"https://a\tb", "character"},
      {"https://a\\b", "character"},
      {"https://a%2eb", "character"},
      {"https://m\xC3\xBCnchen", "character"},
      {"https://a]", "character"},
      {"https://[fe80::1%25eth0]", "character"},
      {"https://a/b c", "path"},
      {"https://a/\r\nhost: b", "path"},
      {"https://a/\x7F", "path"},
      {"https://a/\xC3\xBC", "path"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    const absl::StatusOr<Url> url = ParseUrl(c.text);
    EXPECT_THAT(url, test::StatusIs(absl::StatusCode::kInvalidArgument,
                                    ::testing::AllOf(StartsWith("bad URL: "), HasSubstr(c.why),
                                                     ::testing::Not(HasSubstr("secret")))));
    EXPECT_THAT(url, test::HasOrigin(connect::ErrorOrigin::kLocal));
  }
}

// RFC 3986, 3.2.3: a port is digits and nothing else.
TEST(ParseUrl, RefusesAPortWithSignOrSpace) {
  for (const char* text : {"https://a:+443", "https://a: 443", "https://a:443 ", "https://a:\n1"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseUrl(text), test::StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(ParseUrl, LimitsTheHost) {
  EXPECT_THAT(ParseUrl("https://" + std::string(253, 'a')), test::IsOk());
  EXPECT_THAT(ParseUrl("https://" + std::string(254, 'a')),
              test::StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too long")));
}

TEST(ParseUrl, RefusesAZeroByte) {
  EXPECT_THAT(ParseUrl(std::string("https://a\0b", 11)),
              test::StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseUrl(std::string("https://a/\0b", 12)),
              test::StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(Url, KnowsThisMachine) {
  struct Case {
    const char* text;
    bool loopback;
  };
  constexpr Case kCases[] = {
      {"http://localhost", true},
      {"http://LOCALHOST:1", true},
      {"http://127.0.0.1", true},
      {"http://127.255.0.9:8080/x", true},
      {"http://[::1]:80", true},
      {"http://localhost.example.com", false},
      {"http://notlocalhost", false},
      {"http://128.0.0.1", false},
      {"http://12.7.0.0.1", false},
      {"http://127.example.com", false},
      {"http://127.0.0.1.example.com", false},
      {"http://127-0-0-1", false},
      {"http://[::2]", false},
      {"http://[::11]", false},
      {"http://0.0.0.0", false},
      {"http://example.com/localhost", false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    const absl::StatusOr<Url> url = ParseUrl(c.text);
    ASSERT_TRUE(url.ok()) << url.status();
    EXPECT_EQ(url->is_loopback(), c.loopback);
  }
}

// The system's resolver asks DNS for what is no address, and a search domain may answer.
TEST(Url, ANameOfDigitsAndDotsIsNotThisMachine) {
  for (const char* text : {"http://127.0.0.1.5", "http://127.0.0.256", "http://127..1"}) {
    SCOPED_TRACE(text);
    const absl::StatusOr<Url> url = ParseUrl(text);
    EXPECT_FALSE(url.ok() && url->is_loopback());
  }
}

}  // namespace
}  // namespace cursorwire
