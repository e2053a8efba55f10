#include "client/turn/chat_phase.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace cursorwire {
namespace {

std::optional<ChatPhase> Expected(ChatPhase phase, ChatStep step) {
  if (phase == ChatPhase::kClosed) return std::nullopt;  // the user is told once
  switch (step) {
    case ChatStep::kNews:
      // An attempt that has failed has nothing more to say.
      return phase == ChatPhase::kPausing ? std::nullopt : std::optional(phase);
    case ChatStep::kTurnEnded:
      return phase == ChatPhase::kPausing ? std::nullopt : std::optional(ChatPhase::kComplete);
    case ChatStep::kPause:
      // A complete turn is in the history: it is never asked for again.
      return phase == ChatPhase::kAsking ? std::optional(ChatPhase::kPausing) : std::nullopt;
    case ChatStep::kNextAttempt:
      return phase == ChatPhase::kPausing ? std::optional(ChatPhase::kAsking) : std::nullopt;
    case ChatStep::kEnd:
      return ChatPhase::kClosed;
  }
  return std::nullopt;
}

TEST(ChatPhase, EachStepInEachPhaseLeadsWhereItShould) {
  for (int i = 0; i < kChatPhases; ++i) {
    for (int j = 0; j < kChatSteps; ++j) {
      const auto phase = static_cast<ChatPhase>(i);
      const auto step = static_cast<ChatStep>(j);
      SCOPED_TRACE(std::string(NameOf(phase)) + ", " + std::string(NameOf(step)));
      EXPECT_EQ(PhaseAfter(phase, step), Expected(phase, step));
    }
  }
}

}  // namespace
}  // namespace cursorwire
