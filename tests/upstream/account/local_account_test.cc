#include "cursorwire/local_upstream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LocalAccount, IsReadFromJson) {
  const absl::StatusOr<LocalAccount> account = ParseLocalAccount(
      R"({"user":"ann","token_life":-5,"poll":[404,404,200],"exchange":[503],"usage":[401],)"
      R"("rotates":true,"checks_tokens":true})");
  ASSERT_THAT(account, IsOk());
  EXPECT_EQ(account->user, "ann");
  EXPECT_EQ(account->token_life, std::chrono::seconds(-5));
  EXPECT_THAT(account->poll, ElementsAre(404, 404, 200));
  EXPECT_THAT(account->exchange, ElementsAre(503));
  EXPECT_THAT(account->usage, ElementsAre(401));
  EXPECT_TRUE(account->rotates);
  EXPECT_TRUE(account->checks_tokens);
  EXPECT_THAT(ParseLocalAccount("{}"), IsOk());
}

struct Bad {
  const char* json;
  const char* message;
};

constexpr Bad kBadAccounts[] = {{"", "no JSON object"},
                                {"[]", "no JSON object"},
                                {R"({"pol":[200]})", "no member pol"},
                                {R"({"poll":[]})", "poll must be"},
                                {R"({"poll":[99]})", "poll must be"},
                                {R"({"exchange":200})", "exchange must be"},
                                {R"({"user":7})", "user must be"},
                                {R"({"token_life":1.5})", "token_life must be"},
                                {R"({"rotates":"yes"})", "rotates must be"}};

TEST(LocalAccount, SaysWhatIsWrong) {
  for (const Bad& bad : kBadAccounts) {
    SCOPED_TRACE(bad.json);
    EXPECT_THAT(ParseLocalAccount(bad.json),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(bad.message)));
  }
}

}  // namespace
}  // namespace cursorwire::test
