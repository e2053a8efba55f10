#include "core/call_phase.h"

#include <array>
#include <cstddef>

namespace cursorwire::core {
namespace {

constexpr EndAction kIgnore = EndAction::kIgnore;
constexpr EndAction kFinish = EndAction::kFinish;
constexpr EndAction kDrop = EndAction::kDrop;

using Row = std::array<EndAction, kEndCauses>;

constexpr std::array<Row, kCallPhases> kActions = {{
    // cancelled, closed, deadline, refused, lost, linger over
    {kDrop, kDrop, kFinish, kFinish, kFinish, kIgnore},      // prepared
    {kDrop, kDrop, kFinish, kFinish, kFinish, kIgnore},      // queued
    {kDrop, kDrop, kFinish, kFinish, kFinish, kIgnore},      // open
    {kDrop, kDrop, kDrop, kDrop, kDrop, kIgnore},            // paused
    {kFinish, kFinish, kFinish, kFinish, kFinish, kFinish},  // lingering
    {kDrop, kDrop, kIgnore, kIgnore, kIgnore, kIgnore},      // complete
    {kDrop, kDrop, kDrop, kIgnore, kIgnore, kIgnore},        // complete, paused
    {kIgnore, kIgnore, kIgnore, kIgnore, kIgnore, kIgnore},  // dropped
}};

constexpr std::array<std::string_view, kCallPhases> kPhaseNames = {
    "prepared", "queued", "open", "paused", "lingering", "complete", "complete and paused",
    "dropped"};
constexpr std::array<std::string_view, kEndCauses> kCauseNames = {
    "cancelled", "closed", "deadline", "refused", "lost", "linger over"};

}  // namespace

EndAction ActionAt(CallPhase phase, EndCause cause) {
  return kActions.at(static_cast<size_t>(phase)).at(static_cast<size_t>(cause));
}

std::string_view NameOf(CallPhase phase) { return kPhaseNames.at(static_cast<size_t>(phase)); }
std::string_view NameOf(EndCause cause) { return kCauseNames.at(static_cast<size_t>(cause)); }

}  // namespace cursorwire::core
