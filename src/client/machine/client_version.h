#ifndef CURSORWIRE_SRC_CLIENT_MACHINE_CLIENT_VERSION_H_
#define CURSORWIRE_SRC_CLIENT_MACHINE_CLIENT_VERSION_H_

#include <absl/status/statusor.h>

#include "client/machine/surroundings.h"
#include "cursorwire/client_version.h"

namespace cursorwire {

// FindClientVersion() on that machine.
absl::StatusOr<ClientVersion> FindClientVersion(const Surroundings& surroundings);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MACHINE_CLIENT_VERSION_H_
