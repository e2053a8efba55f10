#ifndef CURSORWIRE_SRC_RPC_CONTENT_TYPE_H_
#define CURSORWIRE_SRC_RPC_CONTENT_TYPE_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

// "application/connect+proto" for streams, "application/proto" for unary calls, and the same with
// json. Source: Connect protocol, "Streaming-Content-Type" and "Unary-Content-Type".
std::string ContentType(connect::CallKind kind, connect::Codec codec);

// Checks a response of status 200: the content type of the request, and no compression, since none
// was offered. `encoding_header` is the one of the call's kind.
//   kInternal  the other Connect codec, or a compression
//   kUnknown   a content type that is no Connect one
absl::Status CheckResponseHeaders(const connect::Headers& headers, connect::CallKind kind,
                                  connect::Codec codec, std::string_view encoding_header);

// The headers with which every request of these protocols begins.
connect::Headers ProtocolHeaders(connect::CallKind kind, const connect::CallOptions& options);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_CONTENT_TYPE_H_
