#ifndef CURSORWIRE_APPS_COLLAB_OCT_H_
#define CURSORWIRE_APPS_COLLAB_OCT_H_

#include "common/interrupt.h"
#include "options.h"
#include "output.h"

namespace cursor_collab {

// cursor-collab oct: an agent in a room of Open Collaboration Tools. Returns the exit code.
int RunOct(const Options& options, cursor_apps::Interrupt& interrupt, Output& output);

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_OCT_H_
