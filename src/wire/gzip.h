#ifndef CURSORWIRE_SRC_WIRE_GZIP_H_
#define CURSORWIRE_SRC_WIRE_GZIP_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace cursorwire::wire {

// `bytes` as one gzip member (RFC 1952).
std::string Gzip(std::string_view bytes);

// The content of one or more gzip members. Memory: no more than `max_bytes` is kept, however much
// the input would unfold to; with what a string reserves and copies as it grows, three times that.
//   kResourceExhausted  more than `max_bytes`
//   kInternal           not gzip, cut short, or bytes that follow
absl::StatusOr<std::string> Gunzip(std::string_view bytes, size_t max_bytes);

}  // namespace cursorwire::wire

#endif  // CURSORWIRE_SRC_WIRE_GZIP_H_
