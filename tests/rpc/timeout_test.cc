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

}  // namespace
}  // namespace cursorwire::rpc
