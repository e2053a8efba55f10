#include "common/proxy_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursor_apps {
namespace {

using cursorwire::test::IsOk;
using cursorwire::test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string WithPassword(const char* name) {
  return std::string(name) == "CURSORWIRE_PROXY_PASSWORD" ? "a:b%20@" : "";
}
std::string Empty(const char*) { return ""; }

TEST(ProxyOption, PasswordIsInTheEnvironment) {
  for (const char* url : {"http://u:secret@p", "u:secret@p", "socks5://u:@p"}) {
    EXPECT_THAT(ParseProxyOption(url, Empty),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("CURSORWIRE_PROXY_PASSWORD"), Not(HasSubstr("secret")))));
  }
  const auto choice = ParseProxyOption("socks5h://u%40x@p:99", WithPassword);
  ASSERT_THAT(choice, IsOk());
  const auto proxy = cursorwire::proxy::ChooseProxy({.host = "h"}, *choice);
  ASSERT_THAT(proxy, IsOk());
  ASSERT_TRUE(proxy->has_value());
  EXPECT_EQ((*proxy)->address(), "p:99");
  EXPECT_EQ((*proxy)->user->name, "u@x");
  EXPECT_EQ((*proxy)->user->password, "a:b%20@") << "as it is";
}

TEST(ProxyOption, HasNoUserUnlessItIsNamed) {
  const auto choice = ParseProxyOption("p:99", WithPassword);
  ASSERT_THAT(choice, IsOk());
  EXPECT_FALSE((*cursorwire::proxy::ChooseProxy({.host = "h"}, *choice))->user.has_value());
}

TEST(ProxyOption, EmptyIsDirect) {
  const auto choice = ParseProxyOption("", Empty);
  ASSERT_THAT(choice, IsOk());
  EXPECT_FALSE(cursorwire::proxy::ChooseProxy({.host = "h"}, *choice, [](const char*) {
                 return std::string("http://p");
               })->has_value());
}

TEST(ProxyOption, IsChecked) {
  for (const char* url : {"ftp://p", "http://", "http://p/path", "http://p:x", "http://u%zz@p"}) {
    EXPECT_THAT(ParseProxyOption(url, Empty), StatusIs(absl::StatusCode::kInvalidArgument)) << url;
  }
}

}  // namespace
}  // namespace cursor_apps
