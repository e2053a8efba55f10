#include "proxy/no_proxy.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::proxy {
namespace {

TEST(NoProxy, Table) {
  const struct {
    const char* list;
    const char* host;
    bool is_in;
  } kCases[] = {
      // domains
      {"ample.com", "ample.com", true},
      {"ample.com", "www.ample.com", true},
      {".ample.com", "ample.com", true},
      {".ample.com", "a.b.ample.com", true},
      {"AMPLE.Com", "www.ample.com", true},
      {"ample.com.", "ample.com", true},
      {"ample.com", "ample.com.", true},
      {"com", "ample.com", true},
      {"*.ample.com", "www.ample.com", true},
      {"*.ample.com", "ample.com", true},
      {"ample.com", "ample.com.net", false},
      {"ample.*", "ample.com", false},
      {".", "ample.com", false},
      // all
      {"*", "ample.com", true},
      {"*", "10.0.0.1", true},
      {"other, *", "ample.com", true},
      // ports
      {"ample.com:443", "ample.com", true},
      {"ample.com:8443", "ample.com", false},
      {"ample.com:", "ample.com", false},
      {"ample.com:99999", "ample.com", false},
      {":443", "ample.com", false},
      {"10.1.2.3:443", "10.1.2.3", true},
      {"10.1.2.3:80", "10.1.2.3", false},
      {"[fd00::1]:443", "fd00::1", true},
      {"[fd00::1]:80", "fd00::1", false},
      // separators
      {"a,ample.com", "ample.com", true},
      {"a ample.com\tb", "ample.com", true},
      {"a , ample.com,b", "ample.com", true},
      {"", "ample.com", false},
      // addresses
      {"10.1.2.3", "10.1.2.3", true},
      {"10.1.2.3", "10.1.2.4", false},
      {"10.1.2.0/24", "10.1.2.200", true},
      {"10.1.2.0/24", "10.1.3.1", false},
      {"10.1.2.0/23", "10.1.3.1", true},
      {"10.1.2.128/25", "10.1.2.127", false},
      {"10.1.2.0/33", "10.1.2.3", false},
      {"10.1.2.0/", "10.1.2.0", false},
      {"10.1.2.0/-1", "10.1.2.0", false},
      {"10.1.2.0/2 4", "10.1.2.0", true},
      {"0.0.0.0/0", "10.1.2.3", true},
      {"0.0.0.0/0", "fd00::1", false},
      {"10.1.2", "10.1.2.3", false},
      {"2.3", "10.1.2.3", false},
      {"fd00::1", "fd00::1", true},
      {"[fd00::1]", "fd00::1", true},
      {"fd00:0::1", "fd00::1", true},
      {"FD00::1", "fd00::1", true},
      {"fd00::2", "fd00::1", false},
      {"::ffff:10.1.2.3", "10.1.2.3", true},
      {"10.1.2.0/24", "::ffff:10.1.2.3", true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::string(c.list) + " for " + c.host);
    EXPECT_EQ(IsInNoProxy(c.list, c.host, 443), c.is_in);
  }
}

TEST(NoProxy, EmptyElementIsNoWildcard) {
  for (const char* list : {",", " ", ",,", ", ,", "a,,b"}) {
    SCOPED_TRACE(list);
    EXPECT_FALSE(IsInNoProxy(list, "ample.com", 443));
  }
}

TEST(NoProxy, SuffixNeedsADot) {
  EXPECT_FALSE(IsInNoProxy("ample.com", "sample.com", 443));
  EXPECT_FALSE(IsInNoProxy(".ample.com", "sample.com", 443));
  EXPECT_FALSE(IsInNoProxy("*.ample.com", "sample.com", 443));
}

TEST(NoProxy, Ipv6CidrMatches) {
  EXPECT_TRUE(IsInNoProxy("fd00::/8", "fd12::1", 443));
  EXPECT_TRUE(IsInNoProxy("fc00::/7", "fd12::1", 443));
  EXPECT_TRUE(IsInNoProxy("::/0", "fd12::1", 443));
  EXPECT_TRUE(IsInNoProxy("fd12::1/128", "fd12::1", 443));
  EXPECT_FALSE(IsInNoProxy("fd12::1/128", "fd12::2", 443));
  EXPECT_FALSE(IsInNoProxy("fe80::/10", "fd12::1", 443));
  EXPECT_FALSE(IsInNoProxy("fd00::/129", "fd00::1", 443));
}

TEST(NoProxy, NameIsNotResolvedForCidr) {
  EXPECT_FALSE(IsInNoProxy("0.0.0.0/0,::/0", "ample.com", 443));
  EXPECT_FALSE(IsInNoProxy("127.0.0.0/8", "localhost", 443));
}

TEST(NoProxy, LoopbackHosts) {
  for (const char* host : {"localhost", "localhost.", "a.localhost", "127.0.0.1", "127.9.9.9",
                           "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host :
       {"mylocalhost", "localhost.com", "128.0.0.1", "127.0.0.1.com", "::2", "::", "127.1"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

}  // namespace
}  // namespace cursorwire::proxy
