#ifndef CURSORWIRE_SRC_CLIENT_MACHINE_FOLDERS_H_
#define CURSORWIRE_SRC_CLIENT_MACHINE_FOLDERS_H_

#include <absl/status/status.h>

#include <string>

#include "client/machine/process_environment.h"

namespace cursorwire {

// The folders of this library's own files; neither needs to exist. Empty: neither the variable nor
// HOME is set. Source: XDG Base Directory Specification, which wants relative paths to be ignored.

// Credentials: `cursorwire` in XDG_CONFIG_HOME, which is ~/.config by default.
std::string ConfigFolder(const ProcessEnvironment& process_environment);
// Sessions, caches: `cursorwire` in XDG_STATE_HOME, which is ~/.local/state by default.
std::string StateFolder(const ProcessEnvironment& process_environment);

// Makes the folder and those above it, mode 0700, where they are missing.
absl::Status MakePrivateFolder(const std::string& folder);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MACHINE_FOLDERS_H_
