#include "client/auth/login_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LoginTokens, AreReadAsTheCliKeepsThem) {
  const absl::StatusOr<LoginTokens> tokens = ParseLoginTokens(
      R"({"accessToken":"a.b.c","refreshToken":"r","apiKey":"k","authId":7,"more":{"x":[]}})");
  ASSERT_THAT(tokens, IsOk());
  EXPECT_EQ(tokens->access_token, "a.b.c");
  EXPECT_EQ(tokens->refresh_token, "r");
  EXPECT_EQ(tokens->api_key, "k");
}

TEST(LoginTokens, MayLackSome) {
  const absl::StatusOr<LoginTokens> tokens =
      ParseLoginTokens(R"({"accessToken":null,"apiKey":"k"})");
  ASSERT_THAT(tokens, IsOk());
  EXPECT_EQ(tokens->access_token, "");
  EXPECT_EQ(tokens->refresh_token, "");
  EXPECT_EQ(tokens->api_key, "k");
}

TEST(LoginTokens, AreWrittenInOneForm) {
  EXPECT_EQ(WriteLoginTokens({.access_token = "a\"b", .refresh_token = "r"}),
            "{\"accessToken\":\"a\\\"b\",\"refreshToken\":\"r\"}\n");
  const absl::StatusOr<LoginTokens> again =
      ParseLoginTokens(WriteLoginTokens({.access_token = "a\"b", .api_key = "k"}));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->access_token, "a\"b");
  EXPECT_EQ(again->refresh_token, "");
  EXPECT_EQ(again->api_key, "k");
}

TEST(LoginTokens, MayAllBeMissing) {
  for (const char* json : {"{}", R"({"accessToken":"","token":"t"})", R"({"apiKey":null})"}) {
    SCOPED_TRACE(json);
    const absl::StatusOr<LoginTokens> tokens = ParseLoginTokens(json);
    ASSERT_THAT(tokens, IsOk());
    EXPECT_TRUE(tokens->empty());
  }
}

TEST(LoginTokens, LeaveWhatStandsBesideThem) {
  const std::string former =
      R"({"authId":7,"accessToken":"old","more":{"x":[null]},"accessToken":"older","apiKey":"k"})";
  EXPECT_EQ(
      WriteLoginTokens({.access_token = "new", .refresh_token = "r"}, former),
      "{\"authId\":7,\"accessToken\":\"new\",\"more\":{\"x\":[null]},\"refreshToken\":\"r\"}\n");
  for (const char* other : {"", "[1]", "no JSON"}) {
    SCOPED_TRACE(other);
    EXPECT_EQ(WriteLoginTokens({.access_token = "new"}, other), "{\"accessToken\":\"new\"}\n");
  }
}

struct Refused {
  const char* json;
  const char* message;
};

constexpr Refused kRefused[] = {
    {"", "tokens of a login"},
    {"secret-in-no-json", "tokens of a login"},
    {R"(["secret"])", "are no JSON object"},
    {R"({"accessToken":{"secret":1}})", "have no text as accessToken"},
    {R"({"accessToken":"secret","refreshToken":1})", "have no text as refreshToken"},
    {R"({"accessToken":"secret","apiKey":["secret"]})", "have no text as apiKey"},
};

TEST(LoginTokens, AreRefusedWithoutAWordOfThem) {
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(refused.json);
    EXPECT_THAT(ParseLoginTokens(refused.json),
                StatusIs(absl::StatusCode::kInternal,
                         AllOf(HasSubstr(refused.message), Not(HasSubstr("secret")))));
  }
}

TEST(LoginTokens, AreRefusedWhereverTheyAreCut) {
  const std::string whole = R"({"accessToken":"a","refreshToken":"r","apiKey":"k"})";
  for (size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_THAT(ParseLoginTokens(whole.substr(0, size)), StatusIs(absl::StatusCode::kInternal));
  }
}

}  // namespace
}  // namespace cursorwire::test
