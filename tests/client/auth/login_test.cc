#include "cursorwire/login.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <stop_token>
#include <string>

#include "cursorwire/local_upstream.h"
#include "support/scratch_home.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

LoginOptions LoginAt(const LocalUpstream& upstream) {
  return {.endpoint = upstream.url(), .channel = {.tls = {.ca_pem = upstream.ca_pem()}}};
}

TEST(Login, KeepsTheTokensInThePlaceOfFormerOnes) {
  const ScratchHome home;
  const LocalUpstream upstream =
      *LocalUpstream::Start({.account = {.user = "local|ann", .poll = {200}}});
  home.Write(kStoreFile, LoginJson(TokenOf("bob", hours(1)), "r"));
  absl::StatusOr<Login> login = Login::Start(LoginAt(upstream));
  ASSERT_THAT(login, IsOk());
  EXPECT_THAT(login->url(), StartsWith("https://cursor.com/loginDeepControl?challenge="));
  const absl::StatusOr<Account> account = login->Wait({});
  ASSERT_THAT(account, IsOk());
  EXPECT_EQ(account->user, "local|ann");
  EXPECT_EQ(account->origin, home.At(kStoreFile));
  EXPECT_TRUE(account->is_renewable);
  struct stat info {};
  ASSERT_EQ(::stat(home.At(kStoreFile).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto credentials = *Credentials::Create({.endpoint = upstream.url()});
  EXPECT_EQ(credentials->account()->user, "local|ann");
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

TEST(Login, StopsAtOnce) {
  const ScratchHome home;
  const LocalUpstream upstream = *LocalUpstream::Start({.account = {.poll = {404}}});
  absl::StatusOr<Login> login = Login::Start(LoginAt(upstream));
  ASSERT_THAT(login, IsOk());
  std::stop_source stop;
  const absl::StatusOr<Account> account =
      login->Wait(stop.get_token(), [&stop](const LoginProgress&) { stop.request_stop(); });
  EXPECT_THAT(account, StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT((*Credentials::Create())->account(), StatusIs(absl::StatusCode::kUnauthenticated));
}

TEST(Login, SaysBeforeThatItCouldNotBeKept) {
  const ScratchHome home;
  home.Write(kStoreFile, "{}", 0644);
  EXPECT_THAT(Login::Start(), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("chmod 600")));
  home.Set("HOME", "");
  EXPECT_THAT(Login::Start(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("HOME")));
}

TEST(Login, GoesToNoOtherHost) {
  const ScratchHome home;
  EXPECT_THAT(Login::Start({.api_endpoint = "https://example.com"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("example.com")));
}

}  // namespace
}  // namespace cursorwire::test
