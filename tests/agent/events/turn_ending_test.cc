#include "cursorwire/chat_error.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cursorwire {
namespace {

TEST(TurnEnding, IsOneOfFour) {
  EXPECT_EQ(EndingOf(absl::OkStatus()), TurnEnding::kCompleted);
  EXPECT_EQ(EndingOf(CancelledByCaller()), TurnEnding::kCancelled);
  EXPECT_EQ(EndingOf(TransportError("lost", Replay::kUnsafe)), TurnEnding::kInterrupted);
  EXPECT_EQ(EndingOf(LocalError(absl::StatusCode::kDeadlineExceeded, "late")), TurnEnding::kFailed);
  EXPECT_EQ(EndingOf(ProtocolError("broken")), TurnEnding::kFailed);
  // The service says so: nobody here did it.
  EXPECT_EQ(EndingOf(MakeError(absl::StatusCode::kCancelled, "stopped",
                               {.origin = connect::ErrorOrigin::kServer})),
            TurnEnding::kFailed);
}

}  // namespace
}  // namespace cursorwire
