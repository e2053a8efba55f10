#include "origin_check.h"

#include <gtest/gtest.h>

#include "openai/api_error.h"

namespace cursor_gateway {
namespace {

int OriginStatus(const HttpFields& fields, bool is_loopback = true) {
  const absl::Status status = CheckOrigin({.fields = fields}, is_loopback);
  return status.ok() ? 200 : ApiErrorOf(status).status;
}

TEST(CheckOrigin, TakesThisMachineAlone) {
  for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1:8787", "[::1]", "[::1]:1"}) {
    EXPECT_EQ(OriginStatus({{"Host", host}}), 200) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "localhost:80x", "", "127.0.0.2", "[::1", "[::1]x"}) {
    EXPECT_EQ(OriginStatus({{"Host", host}}), 403) << host;
  }
  EXPECT_EQ(OriginStatus({}), 400);
  EXPECT_EQ(OriginStatus({{"Host", "localhost"}, {"Host", "localhost"}}), 400);
  EXPECT_EQ(OriginStatus({{"Host", "gateway.example"}}, false), 200);
}

TEST(CheckOrigin, RefusesPagesOfOthers) {
  const auto with = [](const char* name, const char* value) {
    return OriginStatus({{"Host", "localhost:80"}, {name, value}});
  };
  EXPECT_EQ(with("Origin", "http://localhost:80"), 200);
  EXPECT_EQ(with("Origin", "http://localhost:81"), 403);
  EXPECT_EQ(with("Origin", "https://localhost:80"), 403);
  EXPECT_EQ(with("Origin", "http://evil.example"), 403);
  EXPECT_EQ(with("Origin", "null"), 403);
  EXPECT_EQ(with("Sec-Fetch-Site", "cross-site"), 403);
  EXPECT_EQ(with("Sec-Fetch-Site", "same-origin"), 200);
}

}  // namespace
}  // namespace cursor_gateway
