#ifndef CURSORWIRE_SRC_CLIENT_MACHINE_CLIENT_VERSION_H_
#define CURSORWIRE_SRC_CLIENT_MACHINE_CLIENT_VERSION_H_

#include <absl/status/statusor.h>

#include "client/machine/process_environment.h"
#include "cursorwire/client_version.h"

namespace cursorwire {

// FindClientVersion() on that machine.
absl::StatusOr<ClientVersion> FindClientVersion(const ProcessEnvironment& process_environment);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MACHINE_CLIENT_VERSION_H_
