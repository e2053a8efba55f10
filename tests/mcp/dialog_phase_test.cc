#include "mcp/dialog_phase.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::mcp {
namespace {

DialogPhase Expected(DialogPhase phase, DialogEvent event) {
  if (phase == DialogPhase::kFailed) return phase;  // for good
  switch (event) {
    case DialogEvent::kHandshakeSent:
      return DialogPhase::kHandshake;
    case DialogEvent::kHandshakeOver:
      // Of the lost session: another one is being begun.
      return phase == DialogPhase::kRenewal ? phase : DialogPhase::kOpen;
    case DialogEvent::kSessionLost:
      return DialogPhase::kRenewal;
    case DialogEvent::kFailure:
      return DialogPhase::kFailed;
  }
  return phase;
}

TEST(DialogPhase, EachEventInEachPhaseLeadsWhereItShould) {
  for (int i = 0; i < kDialogPhases; ++i) {
    for (int j = 0; j < kDialogEvents; ++j) {
      const auto phase = static_cast<DialogPhase>(i);
      const auto event = static_cast<DialogEvent>(j);
      SCOPED_TRACE(std::string(NameOf(phase)) + ", " + std::string(NameOf(event)));
      const DialogPhase next = PhaseAfter(phase, event);
      EXPECT_EQ(next, Expected(phase, event)) << NameOf(next);
    }
  }
}

}  // namespace
}  // namespace cursorwire::mcp
