#ifndef CURSORWIRE_SRC_RPC_COMPRESSION_H_
#define CURSORWIRE_SRC_RPC_COMPRESSION_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

constexpr char kUnaryEncoding[] = "content-encoding";
constexpr char kUnaryAcceptEncoding[] = "accept-encoding";
constexpr char kStreamingEncoding[] = "connect-content-encoding";
constexpr char kStreamingAcceptEncoding[] = "connect-accept-encoding";

// Name of a compression in the headers and queries of the protocol.
std::string_view CompressionName(connect::Compression compression);

// Whether a message of so many bytes is to be compressed.
bool ShouldCompress(size_t size, const connect::CallOptions& options);

// What the header `name` of a response says, none being identity.
//   kInternal  a compression that is not `accepted`
absl::StatusOr<connect::Compression> ResponseCompression(const connect::Headers& headers,
                                                         std::string_view name,
                                                         connect::Compression accepted);

// How much longer a message of so many bytes may get by compression. gzip adds 18 bytes, and 5 for
// each 16 KiB of what it cannot compress.
constexpr size_t CompressionSlack(size_t size) { return size / 1024 + 64; }

// A compressed message as it was before. No bytes stand for no bytes.
//   kResourceExhausted  over `max_bytes`
//   kInternal           broken
absl::StatusOr<std::string> Decompress(std::string_view bytes, size_t max_bytes);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_COMPRESSION_H_
