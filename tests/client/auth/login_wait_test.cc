#include "client/auth/login_wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Answers in order, and records the pauses. After the last answer it stops.
class Steps {
 public:
  explicit Steps(std::vector<absl::StatusOr<HttpAnswer>> answers) : answers_(std::move(answers)) {}

  absl::StatusOr<LoginTokens> Wait() {
    return WaitForLogin(
        {.pause =
             [this](milliseconds time) {
               pauses.push_back(time);
               return next_ < answers_.size();
             },
         .ask = [this] { return answers_[next_++]; },
         .is_stopped = [this] { return stopped; },
         .progress =
             [this](const LoginProgress& progress) { failures.push_back(progress.failures); }});
  }

  std::vector<milliseconds> pauses;
  std::vector<int> failures;
  bool stopped = false;

 private:
  const std::vector<absl::StatusOr<HttpAnswer>> answers_;
  size_t next_ = 0;
};

const HttpAnswer kNotYetAnswer{.status = 404};

TEST(WaitForLogin, AsksUntilThereAreTokens) {
  Steps steps({kNotYetAnswer, kNotYetAnswer,
               HttpAnswer{.status = 200, .body = R"({"accessToken":"a","refreshToken":"r"})"}});
  const absl::StatusOr<LoginTokens> tokens = steps.Wait();
  ASSERT_THAT(tokens, IsOk());
  EXPECT_EQ(tokens->access_token, "a");
  EXPECT_EQ(tokens->refresh_token, "r");
  EXPECT_THAT(steps.pauses,
              ElementsAre(milliseconds(1000), milliseconds(1200), milliseconds(1440)));
}

TEST(WaitForLogin, GivesUpAfterThreeFailuresAndSaysWhy) {
  Steps steps({kNotYetAnswer, TransportError("connection refused", Replay::kSafe),
               HttpAnswer{.status = 502}, TransportError("connection lost", Replay::kSafe)});
  EXPECT_THAT(steps.Wait(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("connection lost")));
  EXPECT_THAT(steps.failures, ElementsAre(0, 0, 1, 2));
}

TEST(WaitForLogin, StopsWhileItPausesAndWhileItAsks) {
  EXPECT_THAT(Steps({}).Wait(), StatusIs(absl::StatusCode::kCancelled));
  Steps asked({CancelledByCaller(), kNotYetAnswer});
  asked.stopped = true;
  EXPECT_THAT(asked.Wait(), StatusIs(absl::StatusCode::kCancelled));
  // A server that resets the stream so is as one that does not answer.
  Steps reset({CancelledByCaller(), CancelledByCaller(), CancelledByCaller()});
  EXPECT_THAT(reset.Wait(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(WaitForLogin, WantsATokenInTheAnswer) {
  for (const char* body : {"", "{}", R"({"refreshToken":"r"})", R"({"accessToken":7})"}) {
    SCOPED_TRACE(body);
    Steps steps({HttpAnswer{.status = 200, .body = body}});
    EXPECT_THAT(steps.Wait(), StatusIs(absl::StatusCode::kInternal));
  }
}

}  // namespace
}  // namespace cursorwire::test
