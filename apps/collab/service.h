#ifndef CURSORWIRE_APPS_COLLAB_SERVICE_H_
#define CURSORWIRE_APPS_COLLAB_SERVICE_H_

#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/local_upstream.h>

#include <optional>

#include "options.h"

namespace cursor_collab {

// The agent service of the options, and the stand-in for it on this machine.
struct Service {
  std::optional<cursorwire::LocalUpstream> local{};
  std::optional<cursorwire::Client> client{};
};

// Looks for the login, too. What the service asks for on this machine is refused with these words;
// empty: with those of the library.
absl::StatusOr<Service> ConnectService(const Options& options, const std::string& refusal = "");

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_SERVICE_H_
