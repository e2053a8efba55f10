#include "rpc/timeout.h"

#include <gtest/gtest.h>

#include <chrono>

namespace cursorwire::rpc {
namespace {

using std::chrono::milliseconds;

TEST(TimeoutHeader, IsAWholeNumberOfAtMostTenDigits) {
  const struct {
    const char* name;
    milliseconds timeout;
    const char* header;
  } kCases[] = {
      {"one", milliseconds(1), "1"},
      {"a second and a half", milliseconds(1500), "1500"},
      {"a day", std::chrono::hours(24), "86400000"},
      {"largest", milliseconds(9'999'999'999), "9999999999"},
      {"one more than the largest", milliseconds(10'000'000'000), "9999999999"},
      {"no limit at all", milliseconds::max(), "9999999999"},
      {"zero", milliseconds(0), "0"},
      {"passed", milliseconds(-5), "0"},
      {"passed long ago", milliseconds::min(), "0"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(TimeoutHeader(c.timeout), c.header);
  }
}

TEST(AddTimeoutHeader, AnnouncesTheTimeoutOnlyWhenTold) {
  const struct {
    const char* name;
    connect::CallOptions options;
    connect::Headers headers;
  } kCases[] = {
      {"none", {}, {}},
      {"one", {.timeout = milliseconds(2500)}, {{"connect-timeout-ms", "2500"}}},
      {"the client's own",
       {.timeout = milliseconds(2500), .announce_timeout = connect::AnnounceTimeout::kNo},
       {}},
      {"of silence alone", {.idle_timeout = milliseconds(2500)}, {}},
      {"negative", {.timeout = milliseconds(-1)}, {}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    connect::Headers headers;
    AddTimeoutHeader(c.options, headers);
    EXPECT_EQ(headers, c.headers);
  }
}

}  // namespace
}  // namespace cursorwire::rpc
