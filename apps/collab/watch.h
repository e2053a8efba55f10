#ifndef CURSORWIRE_APPS_COLLAB_WATCH_H_
#define CURSORWIRE_APPS_COLLAB_WATCH_H_

#include "common/interrupt.h"
#include "options.h"
#include "output.h"

namespace cursor_collab {

// cursor-collab watch. Returns the exit code, but for that of a signal.
int Watch(const Options& options, cursor_apps::Interrupt& interrupt, Output& output);

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_WATCH_H_
