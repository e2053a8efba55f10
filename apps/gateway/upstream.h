#ifndef CURSORWIRE_APPS_GATEWAY_UPSTREAM_H_
#define CURSORWIRE_APPS_GATEWAY_UPSTREAM_H_

#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/local_upstream.h>

#include <optional>
#include <string>
#include <vector>

#include "options.h"

namespace cursor_gateway {

// The service, and the stand-in that plays it with --local. Only to be moved.
struct Upstream {
  std::optional<cursorwire::LocalUpstream> local{};  // outlives the client
  cursorwire::ClientOptions client_options{};        // without handlers
  cursorwire::Client client;

  // Of another client of the same account, without handlers. Its Create() waits for nothing: where
  // the token must be renewed, the client does that on a thread of its own, before its first turn.
  cursorwire::ClientOptions OptionsOfAnother() const;
};

// Finds the user's login, hides the tokens of the environment, and says on standard error whose it
// is. `code_files`: as of LocalExecOptions, for --workspace. Call it before other threads are
// started. It may wait for the network, to renew the token.
//   kUnauthenticated  there is no login, or it has ended
//   kUnavailable      it must be renewed, and the service is not there
//   kInvalidArgument  a bad endpoint, file, folder or token
absl::StatusOr<Upstream> Connect(const Options& options,
                                 const std::vector<std::string>& code_files);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_UPSTREAM_H_
