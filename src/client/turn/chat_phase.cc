#include "client/turn/chat_phase.h"

#include <array>
#include <cstddef>

namespace cursorwire {
namespace {

constexpr std::optional<ChatPhase> kNotTaken = std::nullopt;
constexpr ChatPhase kAsking = ChatPhase::kAsking;
constexpr ChatPhase kComplete = ChatPhase::kComplete;
constexpr ChatPhase kPausing = ChatPhase::kPausing;
constexpr ChatPhase kClosed = ChatPhase::kClosed;

using ChatRow = std::array<std::optional<ChatPhase>, kChatSteps>;

constexpr std::array<ChatRow, kChatPhases> kPhasesAfter = {{
    // news, turn ended, pause, next attempt, end
    {kAsking, kComplete, kPausing, kNotTaken, kClosed},       // asking
    {kComplete, kComplete, kNotTaken, kNotTaken, kClosed},    // complete
    {kNotTaken, kNotTaken, kNotTaken, kAsking, kClosed},      // pausing
    {kNotTaken, kNotTaken, kNotTaken, kNotTaken, kNotTaken},  // closed
}};

constexpr std::array<std::string_view, kChatPhases> kChatPhaseNames = {"asking", "complete",
                                                                       "pausing", "closed"};
constexpr std::array<std::string_view, kChatSteps> kChatStepNames = {"news", "turn ended", "pause",
                                                                     "next attempt", "end"};

}  // namespace

std::optional<ChatPhase> PhaseAfter(ChatPhase phase, ChatStep step) {
  return kPhasesAfter.at(static_cast<size_t>(phase)).at(static_cast<size_t>(step));
}

std::string_view NameOf(ChatPhase phase) { return kChatPhaseNames.at(static_cast<size_t>(phase)); }
std::string_view NameOf(ChatStep step) { return kChatStepNames.at(static_cast<size_t>(step)); }

}  // namespace cursorwire
