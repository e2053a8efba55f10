// A connection that is lost after any byte of the server: one end each time, and never a hang.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cursorwire/connect/error_info.h"
#include "support/chat_outcome.h"
#include "support/pair.h"
#include "support/sweep.h"

namespace cursorwire::test {
namespace {

// Plays the turn again and again, cut after byte `first`, `first` + `stride`, and so on.
void CutAtEveryByte(connect::Security security, size_t stride,
                    const std::function<void(size_t cut, const ChatOutcome&)>& check) {
  const ChatRequest request{.prompt = "Where will it break?", .system = "Be brief."};
  Pair whole({.security = security});
  ASSERT_TRUE(PairChat(whole, request).Finish().status.ok());
  for (size_t cut = 0; cut < whole.server_bytes(); cut += stride) {
    SCOPED_TRACE("cut after byte " + std::to_string(cut));
    Pair pair({.security = security, .cut_after_bytes = cut});
    check(cut, PairChat(pair, request).Finish());
    if (::testing::Test::HasFailure()) return;
  }
}

void CheckCutTurn(const ChatOutcome& outcome) {
  EXPECT_EQ(outcome.terminal_elements, 1);
  EXPECT_TRUE(outcome.violations.empty());
  if (outcome.usage) {
    EXPECT_TRUE(outcome.status.ok()) << "the turn had ended: " << outcome.status;
  } else {
    EXPECT_EQ(outcome.status.code(), absl::StatusCode::kUnavailable) << outcome.status;
    const auto info = connect::GetErrorInfo(outcome.status);
    ASSERT_TRUE(info.has_value());
    EXPECT_EQ(info->origin, connect::ErrorOrigin::kTransport);
  }
}

// A slice cuts each header of a frame, which has nine bytes, and each prefix of an envelope, of
// five.
TEST(CutAtEveryByte, EndsAPlaintextTurnOnce) {
  bool saw_success = false;
  bool saw_text_before_loss = false;
  CutAtEveryByte(connect::Security::kPlaintext, SweepStride(5),
                 [&](size_t, const ChatOutcome& outcome) {
                   CheckCutTurn(outcome);
                   saw_success |= outcome.status.ok();
                   saw_text_before_loss |= !outcome.status.ok() && !outcome.text.empty();
                 });
  EXPECT_TRUE(saw_success);
  EXPECT_TRUE(saw_text_before_loss);
}

// Bytes under TLS differ from run to run, and so does what a cut hits.
TEST(CutAtEveryByte, EndsATlsTurnOnce) {
  CutAtEveryByte(connect::Security::kTls, SweepStride(11),
                 [](size_t, const ChatOutcome& outcome) { CheckCutTurn(outcome); });
}

// Before the client said anything, nothing can have happened: it may try again.
TEST(CutAtEveryByte, SaysWhenAReplayIsSafe) {
  Pair pair({.security = connect::Security::kTls, .cut_after_bytes = 100});
  const ChatOutcome outcome = PairChat(pair, {.prompt = "hi"}).Finish();
  const auto info = connect::GetErrorInfo(outcome.status);
  ASSERT_TRUE(info.has_value());
  EXPECT_TRUE(info->replay_safe);

  Pair later({.security = connect::Security::kPlaintext, .cut_after_bytes = 100});
  const ChatOutcome sent = PairChat(later, {.prompt = "hi"}).Finish();
  EXPECT_FALSE(connect::GetErrorInfo(sent.status)->replay_safe);
}

}  // namespace
}  // namespace cursorwire::test
