// Room: src/client/machine
#ifndef CURSORWIRE_CLIENT_VERSION_H_
#define CURSORWIRE_CLIENT_VERSION_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "cursorwire/export.h"
#include "cursorwire/run_options.h"

namespace cursorwire {

// What a client tells the service that it is, which refuses old ones from time to time. A value.
struct ClientVersion {
  std::string version = RunOptions{}.client_version;  // "cli-YYYY.MM.DD-<hex>"
  // For a person: the name of the variable, the folder of the official CLI, or "this library".
  std::string origin = "this library";
};

// What Client::Create() takes where ClientOptions::client_version is empty: environment variable
// CURSORWIRE_CLIENT_VERSION; else the newest version of the official CLI that is installed below
// ~/.local/share/cursor-agent/versions; else that of RunOptions, which was current when this
// library was made.
//   kInvalidArgument  the variable holds what CheckClientVersion() refuses
// Source: docs/protocol.md, request headers.
CURSORWIRE_EXPORT absl::StatusOr<ClientVersion> FindClientVersion();

// Whether a header can carry it: 1 to 100 visible ASCII characters. Its form is not checked, since
// the service may want another one day.
//   kInvalidArgument  not so; the message begins with `name`, which says where it is from
CURSORWIRE_EXPORT absl::Status CheckClientVersion(std::string_view version, std::string_view name);

}  // namespace cursorwire

#endif  // CURSORWIRE_CLIENT_VERSION_H_
