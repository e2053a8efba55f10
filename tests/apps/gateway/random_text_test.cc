#include "random_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace cursor_gateway {
namespace {

TEST(RandomText, IsLettersAndDigits) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string text = RandomText(24);
    EXPECT_EQ(text.size(), 24U);
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](unsigned char c) { return isalnum(c); }));
    EXPECT_TRUE(seen.insert(text).second);
  }
}

}  // namespace
}  // namespace cursor_gateway
