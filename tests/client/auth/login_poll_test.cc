#include "client/auth/login_poll.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Next = LoginPoll::Next;

constexpr int kNotYet = 404;

TEST(LoginPoll, AsksMoreAndMoreSeldom) {
  LoginPoll poll;
  std::vector<int64_t> delays;
  for (int i = 0; i < 14; ++i) {
    delays.push_back(poll.delay().count());
    ASSERT_THAT(poll.OnAnswer(kNotYet), IsOkAndHolds(Next::kAskAgain));
  }
  EXPECT_THAT(delays, ElementsAre(1000, 1200, 1440, 1728, 2073, 2487, 2984, 3580, 4296, 5155, 6186,
                                  7423, 8907, 10'000));
  EXPECT_EQ(poll.delay(), milliseconds(10'000));
}

TEST(LoginPoll, EndsWithTheTokens) {
  LoginPoll poll;
  EXPECT_THAT(poll.OnAnswer(kNotYet), IsOkAndHolds(Next::kAskAgain));
  EXPECT_THAT(poll.OnAnswer(200), IsOkAndHolds(Next::kTokens));
}

// What ends it when it comes three times in a row, and how.
struct Failure {
  std::optional<int> status;
  absl::StatusCode code;
  const char* message;
};

constexpr Failure kFailures[] = {
    {std::nullopt, absl::StatusCode::kUnavailable, "does not answer"},
    {500, absl::StatusCode::kUnavailable, "HTTP status 500"},
    {503, absl::StatusCode::kUnavailable, "HTTP status 503"},
    {302, absl::StatusCode::kUnavailable, "HTTP status 302"},
    {204, absl::StatusCode::kUnavailable, "HTTP status 204"},
    {408, absl::StatusCode::kUnavailable, "HTTP status 408"},
    {429, absl::StatusCode::kUnavailable, "HTTP status 429"},
    {400, absl::StatusCode::kPermissionDenied, "HTTP status 400"},
    {401, absl::StatusCode::kPermissionDenied, "HTTP status 401"},
    {403, absl::StatusCode::kPermissionDenied, "HTTP status 403"},
};

TEST(LoginPoll, GivesUpAtTheThirdFailureInARow) {
  for (const Failure& failure : kFailures) {
    SCOPED_TRACE(failure.message);
    LoginPoll poll;
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(poll.OnAnswer(failure.status), IsOkAndHolds(Next::kAskAgain));
    }
    EXPECT_EQ(poll.delay(), LoginPoll::kFirstDelay);
    EXPECT_THAT(poll.OnAnswer(failure.status), StatusIs(failure.code, HasSubstr(failure.message)));
  }
}

TEST(LoginPoll, ForgivesFailuresBetweenAnswers) {
  LoginPoll poll;
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(poll.OnAnswer(std::nullopt), IsOkAndHolds(Next::kAskAgain));
    EXPECT_THAT(poll.OnAnswer(503), IsOkAndHolds(Next::kAskAgain));
    EXPECT_THAT(poll.OnAnswer(kNotYet), IsOkAndHolds(Next::kAskAgain));
  }
}

TEST(LoginPoll, EndsAfter150AnswersAtMost) {
  LoginPoll poll;
  for (int i = 1; i < 150; ++i) {
    ASSERT_THAT(poll.OnAnswer(i % 3 == 0 ? kNotYet : 500), IsOkAndHolds(Next::kAskAgain));
  }
  EXPECT_THAT(poll.OnAnswer(kNotYet),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("start the login again")));
}

}  // namespace
}  // namespace cursorwire::test
