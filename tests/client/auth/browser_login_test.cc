#include "client/auth/browser_login.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr char kUuid[] = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d";

// The example of RFC 7636, appendix B.
BrowserLogin Example() {
  return {.uuid = kUuid, .verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"};
}

TEST(BrowserLogin, ShowsTheBrowserTheHashOfTheSecretAlone) {
  EXPECT_EQ(LoginPage(Example()),
            "https://cursor.com/loginDeepControl"
            "?challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            "&uuid=0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d&mode=login&redirectTarget=cli");
  EXPECT_THAT(LoginPage(Example()), Not(HasSubstr(Example().verifier)));
}

TEST(BrowserLogin, ProvesItselfByTheSecretWhenItPolls) {
  EXPECT_EQ(PollPath(Example()),
            "/auth/poll?uuid=0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d"
            "&verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
}

TEST(BrowserLogin, HasAnotherSecretEachTime) {
  const auto ids = RandomIds();
  const absl::StatusOr<BrowserLogin> first = NewBrowserLogin(*ids);
  const absl::StatusOr<BrowserLogin> second = NewBrowserLogin(*ids);
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  for (const BrowserLogin& login : {*first, *second}) {
    EXPECT_EQ(login.verifier.size(), 128u);
    EXPECT_THAT(login.verifier, MatchesRegex("[-_A-Za-z0-9]+"));
    EXPECT_THAT(login.uuid, MatchesRegex("[-0-9a-f]+"));
  }
  EXPECT_NE(first->verifier, second->verifier);
  EXPECT_NE(first->uuid, second->uuid);
}

}  // namespace
}  // namespace cursorwire::test
