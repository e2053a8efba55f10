#ifndef CURSORWIRE_SRC_MCP_DIALOG_PHASE_H_
#define CURSORWIRE_SRC_MCP_DIALOG_PHASE_H_

#include <string_view>

namespace cursorwire::mcp {

// Where the dialog with a server over HTTP stands. Lines of the client are sent in kOpen alone; in
// the other phases they wait.
enum class DialogPhase {
  kOpen,       // before the handshake, after it, or without one
  kHandshake,  // one of the two messages of the handshake is under way
  kRenewal,    // the server has forgotten the session, and the first message is under way again
  kFailed,     // nothing can be asked of the server any more
};
inline constexpr int kDialogPhases = 4;

enum class DialogEvent {
  kHandshakeSent,  // one of the two messages
  kHandshakeOver,  // it was answered, or the client was told why not
  kSessionLost,
  kFailure,
};
inline constexpr int kDialogEvents = 4;

DialogPhase PhaseAfter(DialogPhase phase, DialogEvent event);

std::string_view NameOf(DialogPhase phase);
std::string_view NameOf(DialogEvent event);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_DIALOG_PHASE_H_
