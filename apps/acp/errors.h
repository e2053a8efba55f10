#ifndef CURSORWIRE_APPS_ACP_ERRORS_H_
#define CURSORWIRE_APPS_ACP_ERRORS_H_

#include <absl/status/status.h>
#include <cursorwire/jsonrpc/peer.h>

#include <cstdint>
#include <string>

namespace cursor_acp {

// Error codes that the protocol adds to those of JSON-RPC. Source: schema of version 1, ErrorCode.
inline constexpr int64_t kAuthenticationRequired = -32000;
inline constexpr int64_t kResourceNotFound = -32002;

// For a request that cannot be served: kInvalidArgument is about its params, kNotFound about its
// session. Other codes of Status stand in `data` by their names in Connect.
cursorwire::jsonrpc::PeerError RequestError(const absl::Status& status);

// For a turn that failed. What the service says of a turn is never about params.
cursorwire::jsonrpc::PeerError TurnError(const absl::Status& status);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_ERRORS_H_
