#ifndef CURSORWIRE_SRC_RPC_HTTP_STATUS_H_
#define CURSORWIRE_SRC_RPC_HTTP_STATUS_H_

#include <absl/status/status.h>

#include <cstdint>

#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

// The code for a failed HTTP response that carries no Connect error.
// Source: Connect protocol, "HTTP to error code"; docs/protocol.md, error codes.
absl::StatusCode CodeFromHttpStatus(int http_status);

// The status of a response as a number; 0 if `:status` is missing or not a number.
int HttpStatus(const connect::Headers& headers);

// The Status of a call whose HTTP/2 stream the peer reset.
absl::Status StatusFromReset(uint32_t http2_code);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_HTTP_STATUS_H_
