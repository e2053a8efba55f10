#ifndef CURSORWIRE_SRC_RPC_END_STREAM_H_
#define CURSORWIRE_SRC_RPC_END_STREAM_H_

#include <absl/status/status.h>

#include <string_view>

#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

// What an end-stream envelope says.
struct EndStreamMessage {
  // OK, or the server's error, or kInternal if it is no JSON object. kResourceExhausted: it is
  // longer than 1 MiB, or has no error and metadata that take more than 256 KiB.
  absl::Status status{};
  connect::Headers metadata{};  // the trailers of the call; empty if they are over that
};

// Decodes the payload of an end-stream envelope, `{"error":{...},"metadata":{"name":["value"]}}`.
// Both members may be missing. Source: Connect protocol, "EndStreamResponse".
EndStreamMessage DecodeEndStream(std::string_view payload, int http_status);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_END_STREAM_H_
