#ifndef CURSORWIRE_SRC_CLIENT_DETECT_ENVIRONMENT_H_
#define CURSORWIRE_SRC_CLIENT_DETECT_ENVIRONMENT_H_

#include "client/machine/process_environment.h"
#include "cursorwire/run_options.h"

namespace cursorwire {

// What can be detected about this machine without a workspace.
Environment DetectEnvironment(const ProcessEnvironment& process_environment);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_DETECT_ENVIRONMENT_H_
