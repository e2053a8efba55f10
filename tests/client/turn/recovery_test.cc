#include "client/turn/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "support/hex.h"

namespace cursorwire {
namespace {

using connect::ErrorInfo;
using connect::ErrorOrigin;
using std::chrono::milliseconds;
using test::FromHex;
using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Status kLost = TransportError("lost", Replay::kUnsafe);

FailedAttempt Lost(RunProgress progress = {}) {
  const bool text_since = !progress.text_since.empty();
  return {.status = kLost,
          .progress = std::move(progress),
          .conversation_id = "id",
          .reached_service = true,
          .text_since = text_since};
}

FailedAttempt Failed(absl::Status status) {
  return {.status = std::move(status), .conversation_id = "id", .reached_service = true};
}

absl::Status ServerError(absl::StatusCode code, const char* details_hex = "") {
  ErrorInfo info{.origin = ErrorOrigin::kServer};
  if (*details_hex != 0) {
    info.details = {{"aiserver.v1.ErrorDetails", FromHex(details_hex), ""}};
  }
  return MakeError(code, "Error", info);
}

std::optional<RetryKind> KindOf(const std::optional<Retrying>& plan) {
  if (!plan) return std::nullopt;
  return plan->kind;
}

const HistoryItem kSaid = HistoryText{"said"};
const HistoryItem kTool = HistoryToolCall{.call_id = "c", .name = "t", .result = "r"};

// docs/protocol.md, recovery: one row a rule.
TEST(Recovery, ChoosesHowATurnGoesOn) {
  struct Case {
    const char* name;
    RunProgress progress;
    std::optional<RetryKind> kind;
  };
  const HistoryTurn with_tool{.prompt = "p", .items = {kTool}};
  const Case cases[] = {
      {"nothing came", {}, RetryKind::kRepeat},
      {"text came", {.text_since = "a"}, std::nullopt},
      {"a checkpoint came", {.checkpoint = "s"}, RetryKind::kResume},
      {"text came after a checkpoint", {.checkpoint = "s", .text_since = "a"}, RetryKind::kResume},
      {"a tool was used", {.turn = with_tool, .tools_since = true}, RetryKind::kContinue},
      {"a tool was used after a checkpoint",
       {.turn = with_tool, .checkpoint = "s", .tools_since = true},
       RetryKind::kContinue},
      {"text came before a tool",
       {.turn = with_tool, .text_since = "a", .tools_since = true},
       RetryKind::kContinue},
      {"text came after a tool",
       {.turn = with_tool, .text_since = "a", .tools_since = true, .text_since_tools = true},
       std::nullopt},
      {"more came than is kept", {.truncated = true, .checkpoint = "s"}, std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Recovery recovery({}, {});
    EXPECT_EQ(KindOf(recovery.OnFailure(Lost(c.progress), 0)), c.kind);
  }
}

TEST(Recovery, RepeatsUnderTheSameId) {
  Recovery recovery({}, {.id = "", .state = "former"});
  ASSERT_TRUE(recovery.OnFailure(Lost(), 0).has_value());
  EXPECT_EQ(recovery.next().id, "id");
  EXPECT_EQ(recovery.next().state, "former");
  EXPECT_EQ(recovery.next().start, RunStart::kPrompt);
}

TEST(Recovery, ResumesFromTheLastCheckpointOfAnyAttempt) {
  Recovery recovery({}, {.state = "former"});
  ASSERT_TRUE(recovery.OnFailure(Lost({.checkpoint = "one", .held = {kSaid}}), 0).has_value());
  EXPECT_EQ(recovery.next().start, RunStart::kResume);
  EXPECT_EQ(recovery.next().state, "one");
  EXPECT_THAT(recovery.next().items, SizeIs(1));
  // The second attempt brought text and no checkpoint.
  EXPECT_EQ(KindOf(recovery.OnFailure(Lost({.text_since = "a"}), 0)), RetryKind::kResume);
  EXPECT_EQ(recovery.next().state, "one");
  ASSERT_TRUE(recovery.OnFailure(Lost({.checkpoint = "two"}), 0).has_value());
  EXPECT_EQ(recovery.next().state, "two");
}

TEST(Recovery, TellsTheTurnAgainUnderANewId) {
  Recovery recovery({}, {.id = "id", .state = "former"});
  ASSERT_TRUE(recovery.OnFailure(Lost({.turn = {.items = {kSaid}}, .tools_since = true}), 0));
  EXPECT_EQ(recovery.next().start, RunStart::kContinue);
  EXPECT_EQ(recovery.next().id, "");
  EXPECT_EQ(recovery.next().state, "");
  recovery.OnLateResults({.turn = {.items = {kSaid, kTool}}});
  EXPECT_THAT(recovery.next().items, SizeIs(2));
  // Nothing came of it: the same once more.
  EXPECT_EQ(KindOf(recovery.OnFailure(Lost(), 0)), RetryKind::kContinue);
  EXPECT_THAT(recovery.next().items, SizeIs(2));
}

TEST(Recovery, TellsTheHistoryWhereTheStateIsLost) {
  FailedAttempt lost = Failed(ServerError(absl::StatusCode::kInternal));
  lost.state_lost = true;
  Recovery recovery({}, {.id = "id", .state = "former"});
  EXPECT_EQ(KindOf(recovery.OnFailure(lost, 0)), RetryKind::kRepeat);
  EXPECT_EQ(recovery.next().id, "");
  EXPECT_EQ(recovery.next().state, "");
  // A state of our own that is lost would be lost again.
  EXPECT_EQ(recovery.OnFailure(lost, 0).has_value(), false);

  Recovery by_message({}, {.id = "id", .state = "former"});
  EXPECT_TRUE(
      by_message.OnFailure(Failed(MakeError(absl::StatusCode::kInternal, "Blob not found: 1",
                                            {.origin = ErrorOrigin::kServer})),
                           0));
  Recovery shown({}, {.id = "id", .state = "former"});
  lost.text_since = true;
  EXPECT_FALSE(shown.OnFailure(lost, 0));
}

TEST(Recovery, KnowsWhatIsTemporary) {
  // CustomErrorDetails.is_retryable, true and false.
  constexpr char kRetryable[] = "12 02 20 01";
  constexpr char kNotRetryable[] = "12 02 20 00";
  const auto with = [](absl::StatusCode code, const ErrorInfo& info) {
    return MakeError(code, "m", info);
  };
  const struct {
    const char* name;
    absl::Status status;
    bool temporary;
  } cases[] = {
      {"lost connection", kLost, true},
      {"reset",
       with(absl::StatusCode::kInternal, {.origin = ErrorOrigin::kTransport, .http2_code = 2}),
       true},
      {"unavailable", ServerError(absl::StatusCode::kUnavailable), true},
      {"HTTP 503",
       with(absl::StatusCode::kUnavailable, {.origin = ErrorOrigin::kServer, .http_status = 503}),
       true},
      {"not HTTP/2",
       with(absl::StatusCode::kUnavailable, {.origin = ErrorOrigin::kServer, .http_status = 464}),
       false},
      {"said to be retryable", ServerError(absl::StatusCode::kResourceExhausted, kRetryable), true},
      {"said not to be", ServerError(absl::StatusCode::kUnavailable, kNotRetryable), false},
      {"limit of the account", ServerError(absl::StatusCode::kResourceExhausted), false},
      {"bad request", ServerError(absl::StatusCode::kInvalidArgument, kRetryable), false},
      {"no login", ServerError(absl::StatusCode::kUnauthenticated, kRetryable), false},
      {"no permission", ServerError(absl::StatusCode::kPermissionDenied), false},
      {"unknown model", ServerError(absl::StatusCode::kNotFound), false},
      {"internal", ServerError(absl::StatusCode::kInternal), false},
      {"broken protocol", ProtocolError("m"), false},
      {"our own deadline", LocalError(absl::StatusCode::kDeadlineExceeded, "m"), false},
      {"closed client", CancelledByCaller(), false},
      {"foreign", absl::UnavailableError("m"), false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(IsTemporary(c.status, false), c.temporary);
    Recovery recovery({}, {});
    EXPECT_EQ(recovery.OnFailure(Failed(c.status), 0).has_value(), c.temporary);
  }
  EXPECT_TRUE(IsTemporary(ServerError(absl::StatusCode::kResourceExhausted), true));
}

TEST(Recovery, TriesAFirstConnectionAgainOnlyWhereItIsWanted) {
  FailedAttempt unreachable = Failed(TransportError("refused", Replay::kSafe));
  unreachable.reached_service = false;
  EXPECT_FALSE(Recovery({}, {}).OnFailure(unreachable, 0));
  EXPECT_TRUE(Recovery({.retry_first_connection = true}, {}).OnFailure(unreachable, 0));
  // The service was there a moment ago.
  Recovery recovery({}, {});
  ASSERT_TRUE(recovery.OnFailure(Lost(), 0));
  EXPECT_TRUE(recovery.OnFailure(unreachable, 0));
  // The server refused it: it is there.
  FailedAttempt refused =
      Failed(MakeError(absl::StatusCode::kUnavailable, "m",
                       {.origin = ErrorOrigin::kTransport, .replay_safe = true, .http2_code = 7}));
  refused.reached_service = false;
  EXPECT_TRUE(Recovery({}, {}).OnFailure(refused, 0));
}

TEST(Recovery, WaitsLongerEachTimeAndAtRandom) {
  const RetryPolicy policy{
      .max_retries = 5, .first_delay = milliseconds(100), .max_delay = milliseconds(500)};
  Recovery longest(policy, {});
  Recovery half(policy, {});
  for (const int most : {100, 200, 400, 500, 500}) {
    EXPECT_EQ(longest.OnFailure(Lost(), 1)->delay, milliseconds(most));
    EXPECT_EQ(half.OnFailure(Lost(), 0.5)->delay, milliseconds(most / 2));
  }
  EXPECT_FALSE(longest.OnFailure(Lost(), 1));
}

TEST(Recovery, CountsItsRetries) {
  EXPECT_FALSE(Recovery({.max_retries = 0}, {}).OnFailure(Lost(), 0));
  Recovery recovery({.max_retries = 2}, {});
  const std::optional<Retrying> first = recovery.OnFailure(Lost(), 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->retry, 1);
  EXPECT_EQ(first->max_retries, 2);
  EXPECT_EQ(first->reason, kLost);
  EXPECT_EQ(recovery.OnFailure(Lost(), 0)->retry, 2);
  EXPECT_FALSE(recovery.OnFailure(Lost(), 0));
}

TEST(Recovery, WaitsAsLongAsTheServiceSays) {
  FailedAttempt limited = Failed(ServerError(absl::StatusCode::kResourceExhausted));
  limited.retry_after = std::chrono::seconds(7);
  EXPECT_EQ(Recovery({}, {}).OnFailure(limited, 0)->delay, std::chrono::seconds(7));
  limited.retry_after = std::chrono::seconds(31);
  EXPECT_FALSE(Recovery({}, {}).OnFailure(limited, 0));
}

}  // namespace
}  // namespace cursorwire
