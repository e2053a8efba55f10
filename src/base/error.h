#ifndef CURSORWIRE_SRC_BASE_ERROR_H_
#define CURSORWIRE_SRC_BASE_ERROR_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "cursorwire/connect/error_info.h"

namespace cursorwire {

// A Status with its ErrorInfo, for the place where the error arises.
absl::Status MakeError(absl::StatusCode code, std::string_view message,
                       const connect::ErrorInfo& info);

// kInternal: the peer's bytes break a protocol.
absl::Status ProtocolError(std::string_view message);
// Whether the same call may be made again: the server cannot have acted on it.
enum class Replay { kUnsafe, kSafe };
// kUnavailable: no connection, or it was lost.
absl::Status TransportError(std::string_view message, Replay replay);
// The same error with what is now known about a replay. An error without ErrorInfo counts as a
// transport error.
absl::Status WithReplay(absl::Status status, Replay replay);
// An error of our own side; the peer said nothing.
absl::Status LocalError(absl::StatusCode code, std::string_view message);
// LocalError() with kInvalidArgument.
absl::Status InvalidArgument(std::string_view message);
// The status of a call that its user cancelled.
absl::Status CancelledByCaller();

// The same error with `context` and ": " before its message; payloads are kept.
absl::Status Annotate(const absl::Status& status, std::string_view context);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_ERROR_H_
