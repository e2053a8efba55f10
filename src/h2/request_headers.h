#ifndef CURSORWIRE_SRC_H2_REQUEST_HEADERS_H_
#define CURSORWIRE_SRC_H2_REQUEST_HEADERS_H_

#include <absl/status/status.h>

#include <cstddef>

#include "cursorwire/connect/headers.h"

namespace cursorwire::h2 {

inline constexpr size_t kHeaderOverheadBytes = 32;  // per field, RFC 9113, 6.5.2
// What peers take at least. nghttp2's own limit counts otherwise, and must be set above this one.
inline constexpr size_t kMaxSentHeaderBytes = size_t{64} * 1024;

// Refuses headers that the peer would refuse, or worse, take for something else.
//   kInvalidArgument    a name, a value or the order of headers that HTTP/2 does not allow
//   kResourceExhausted  together they are larger than kMaxSentHeaderBytes
absl::Status CheckRequestHeaders(const connect::Headers& headers);

}  // namespace cursorwire::h2

#endif  // CURSORWIRE_SRC_H2_REQUEST_HEADERS_H_
