#ifndef CURSORWIRE_APPS_COLLAB_NVIM_HELPER_H_
#define CURSORWIRE_APPS_COLLAB_NVIM_HELPER_H_

#include "common/interrupt.h"
#include "options.h"
#include "output.h"

namespace cursor_collab {

// cursor-collab nvim-helper. Returns the exit code, but for that of a signal.
int RunNvimHelper(const Options& options, cursor_apps::Interrupt& interrupt, Output& output);

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_NVIM_HELPER_H_
