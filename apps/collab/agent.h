#ifndef CURSORWIRE_APPS_COLLAB_AGENT_H_
#define CURSORWIRE_APPS_COLLAB_AGENT_H_

#include "common/interrupt.h"
#include "options.h"
#include "output.h"

namespace cursor_collab {

// cursor-collab agent. Returns the exit code, but for that of a signal.
int RunAgent(const Options& options, cursor_apps::Interrupt& interrupt, Output& output);

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_AGENT_H_
