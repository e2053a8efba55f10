#ifndef CURSORWIRE_SRC_WIRE_GZIP_H_
#define CURSORWIRE_SRC_WIRE_GZIP_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace cursorwire::wire {

// `bytes` as one gzip member (RFC 1952).
std::string Gzip(std::string_view bytes);

// The content of one or more gzip members. Keeps no more than `max_bytes`, however large the
// uncompressed input would be. Memory: up to three times that while the string grows.
//   kResourceExhausted  more than `max_bytes`
//   kInternal           not gzip, truncated, or followed by other bytes
absl::StatusOr<std::string> Gunzip(std::string_view bytes, size_t max_bytes);

// The same without a header and a trailer (RFC 1951), and one member alone.
std::string Deflate(std::string_view bytes);
//   kResourceExhausted, kInternal  as of Gunzip()
absl::StatusOr<std::string> Inflate(std::string_view bytes, size_t max_bytes);

}  // namespace cursorwire::wire

#endif  // CURSORWIRE_SRC_WIRE_GZIP_H_
