#ifndef CURSORWIRE_SRC_RPC_END_STREAM_H_
#define CURSORWIRE_SRC_RPC_END_STREAM_H_

#include <absl/status/status.h>

#include <string_view>

#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

// The content of an end-stream envelope.
struct EndStreamMessage {
  // OK, or the server's error, or kInternal if the payload is not a JSON object.
  // kResourceExhausted: the payload is longer than 1 MiB, or it has no error but more than 256 KiB
  // of metadata.
  absl::Status status{};
  connect::Headers metadata{};  // the trailers of the call; empty if over that limit
};

// Decodes the payload of an end-stream envelope, `{"error":{...},"metadata":{"name":["value"]}}`.
// Both members may be missing. Source: Connect protocol, "EndStreamResponse".
EndStreamMessage DecodeEndStream(std::string_view payload, int http_status);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_END_STREAM_H_
