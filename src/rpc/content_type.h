#ifndef CURSORWIRE_SRC_RPC_CONTENT_TYPE_H_
#define CURSORWIRE_SRC_RPC_CONTENT_TYPE_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

// "application/connect+proto" for streams, "application/proto" for unary calls, and likewise for
// json. Source: Connect protocol, "Streaming-Content-Type" and "Unary-Content-Type".
std::string ContentType(connect::CallKind kind, connect::Codec codec);

// Checks that a response of status 200 has the content type of the request.
//   kInternal  the other Connect codec
//   kUnknown   a content type that is not a Connect one
absl::Status CheckContentType(const connect::Headers& headers, connect::CallKind kind,
                              connect::Codec codec);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_CONTENT_TYPE_H_
