#include "commands/check.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <cursorwire/connect/interceptor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commands/clock_skew.h"

namespace cursor_chat {
namespace {

using ::testing::HasSubstr;

constexpr char kToken[] = "a-token-of-the-user";

TEST(Check, IsALineAndOneForWhatToDo) {
  EXPECT_EQ(
      CheckText(
          {.name = "tcp", .detail = "127.0.0.1\x1b[2J", .time = std::chrono::microseconds(1250)}),
      "ok    tcp                     1.2 ms  127.0.0.1<U+001B>[2J\n");
  EXPECT_EQ(CheckText({.name = "auth", .status = CheckStatus::kFail, .detail = "no", .fix = "yes"}),
            "fail  auth                            no\n      -> yes\n");
}

TEST(Check, IsJsonWithoutSecrets) {
  const cursorwire::connect::Redactor redactor({kToken});
  const std::string json = ChecksJson(
      {{.name = "a", .detail = kToken},
       {.name = "b", .status = CheckStatus::kSkip, .time = std::chrono::microseconds(500)}},
      redactor);
  EXPECT_THAT(json, HasSubstr("\"detail\":\"(redacted)\",\"fix\":\"\",\"ms\":0.0,\"name\":\"a\""));
  EXPECT_THAT(json, HasSubstr("\"ms\":0.5,\"name\":\"b\",\"status\":\"skip\""));
  EXPECT_THAT(ChecksJson({{.name = "a", .status = CheckStatus::kFail}}, redactor),
              HasSubstr("\"ok\":false"));
  EXPECT_THAT(ChecksJson({{.name = "a", .status = CheckStatus::kWarn}}, redactor),
              HasSubstr("\"ok\":true"));
}

std::string DateOf(absl::Time time) {
  return absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", time, absl::UTCTimeZone());
}

TEST(ClockSkew, ComparesTheClockWithTheDateOfAnAnswer) {
  ClockSkew skew;
  skew.OnHead({}, {{"date", "soon"}});
  skew.OnHead({}, {{"content-type", "text/plain"}});
  EXPECT_EQ(skew.skew(), std::nullopt);
  skew.OnHead({}, {{"date", DateOf(absl::Now() - absl::Hours(1))}});
  ASSERT_TRUE(skew.skew().has_value());
  EXPECT_NEAR(static_cast<double>(skew.skew()->count()), 3600, 60);
}

}  // namespace
}  // namespace cursor_chat
