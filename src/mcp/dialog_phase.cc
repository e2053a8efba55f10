#include "mcp/dialog_phase.h"

#include <array>
#include <cstddef>

namespace cursorwire::mcp {
namespace {

constexpr DialogPhase kOpen = DialogPhase::kOpen;
constexpr DialogPhase kHandshake = DialogPhase::kHandshake;
constexpr DialogPhase kRenewal = DialogPhase::kRenewal;
constexpr DialogPhase kFailed = DialogPhase::kFailed;

using DialogRow = std::array<DialogPhase, kDialogEvents>;

constexpr std::array<DialogRow, kDialogPhases> kPhasesAfter = {{
    // handshake sent, handshake over, session lost, failure
    {kHandshake, kOpen, kRenewal, kFailed},     // open
    {kHandshake, kOpen, kRenewal, kFailed},     // handshake
    {kHandshake, kRenewal, kRenewal, kFailed},  // renewal: the second message is sent
    {kFailed, kFailed, kFailed, kFailed},       // failed
}};

constexpr std::array<std::string_view, kDialogPhases> kDialogPhaseNames = {"open", "handshake",
                                                                           "renewal", "failed"};
constexpr std::array<std::string_view, kDialogEvents> kDialogEventNames = {
    "handshake sent", "handshake over", "session lost", "failure"};

}  // namespace

DialogPhase PhaseAfter(DialogPhase phase, DialogEvent event) {
  return kPhasesAfter.at(static_cast<size_t>(phase)).at(static_cast<size_t>(event));
}

std::string_view NameOf(DialogPhase phase) {
  return kDialogPhaseNames.at(static_cast<size_t>(phase));
}
std::string_view NameOf(DialogEvent event) {
  return kDialogEventNames.at(static_cast<size_t>(event));
}

}  // namespace cursorwire::mcp
