#ifndef CURSORWIRE_SRC_RPC_END_STREAM_H_
#define CURSORWIRE_SRC_RPC_END_STREAM_H_

#include <absl/status/status.h>

#include <string_view>

#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

// What an end-stream envelope says.
struct EndStreamMessage {
  absl::Status status{};        // OK, or the server's error, or kInternal if it is no JSON object
  connect::Headers metadata{};  // the trailers of the call
};

// Decodes the payload of an end-stream envelope, `{"error":{...},"metadata":{"name":["value"]}}`.
// Both members may be missing. Source: Connect protocol, "EndStreamResponse".
EndStreamMessage DecodeEndStream(std::string_view payload, int http_status);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_END_STREAM_H_
