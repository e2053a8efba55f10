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

// The name of a compression in the protocol's headers and queries.
std::string_view CompressionName(connect::Compression compression);

// Whether to compress a message of `size` bytes.
bool ShouldCompress(size_t size, const connect::CallOptions& options);

// The compression that the header `name` of a response says; identity if the header is absent.
//   kInternal  a compression that is not `accepted`
absl::StatusOr<connect::Compression> ResponseCompression(const connect::Headers& headers,
                                                         std::string_view name,
                                                         connect::Compression accepted);

// By how much compression may lengthen a message of `size` bytes. gzip adds 18 bytes, plus 5 for
// each 16 KiB of incompressible data.
constexpr size_t CompressionSlack(size_t size) { return size / 1024 + 64; }

// The message before compression. Empty input gives an empty message.
//   kResourceExhausted  over `max_bytes`
//   kInternal           broken
absl::StatusOr<std::string> Decompress(std::string_view bytes, size_t max_bytes);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_COMPRESSION_H_
