#ifndef CURSORWIRE_APPS_GATEWAY_UPSTREAM_H_
#define CURSORWIRE_APPS_GATEWAY_UPSTREAM_H_

#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/local_upstream.h>

#include <optional>
#include <string>

#include "options.h"

namespace cursor_gateway {

// The service, and the stand-in that plays it with --local. Only to be moved.
struct Upstream {
  std::optional<cursorwire::LocalUpstream> local{};  // outlives the client
  // Of another client of the same account, without handlers.
  cursorwire::ClientOptions client_options{};
  cursorwire::Client client;
};

// `token` is that of CURSOR_ACCESS_TOKEN.
//   kUnauthenticated  no token
//   kInvalidArgument  a bad endpoint, file, folder or token
absl::StatusOr<Upstream> Connect(const Options& options, const std::string& token);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_UPSTREAM_H_
