#include "client/auth/failed_tokens.h"

#include <gtest/gtest.h>

#include <string>

#include "support/scratch_home.h"

namespace cursorwire::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const FailedTokens::Time kNow{seconds(1'800'000'000)};

TEST(FailedTokens, ForgetAfterTenMinutes) {
  const ScratchHome home;
  const std::string path = home.At("state/failed.json");
  FailedTokens(path).Add("secret", kNow);
  EXPECT_TRUE(FailedTokens(path).Has("secret", kNow + minutes(9)));
  EXPECT_FALSE(FailedTokens(path).Has("other", kNow + minutes(9)));
  EXPECT_FALSE(FailedTokens(path).Has("secret", kNow + minutes(10)));
  EXPECT_FALSE(FailedTokens(path).Has("secret", kNow - minutes(1)));  // the clock was set back
}

TEST(FailedTokens, RememberByThemselvesWithoutAFile) {
  FailedTokens failed("");
  failed.Add("secret", kNow);
  EXPECT_TRUE(failed.Has("secret", kNow));
}

TEST(FailedTokens, TakeABrokenFileAsAnEmptyOne) {
  const ScratchHome home;
  const std::string path = home.At("failed.json");
  for (const char* text : {"", "[1]", "{\"a\":", R"({"a":"b","c":{"d":1}})",
                           R"({"a":9223372036854775807,"b":-9223372036854775808})"}) {
    SCOPED_TRACE(text);
    home.Write("failed.json", text);
    EXPECT_FALSE(FailedTokens(path).Has("secret", kNow));
    FailedTokens(path).Add("secret", kNow);
    EXPECT_TRUE(FailedTokens(path).Has("secret", kNow));
  }
}

TEST(FailedTokens, AreBounded) {
  FailedTokens failed("");
  for (size_t i = 0; i < 2 * FailedTokens::kMaxRemembered; ++i) {
    failed.Add(std::to_string(i), kNow);
  }
  EXPECT_TRUE(failed.Has("0", kNow));
  EXPECT_FALSE(failed.Has(std::to_string(FailedTokens::kMaxRemembered), kNow));
}

}  // namespace
}  // namespace cursorwire::test
