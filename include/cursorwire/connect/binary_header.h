// Room: src/base
#ifndef CURSORWIRE_CONNECT_BINARY_HEADER_H_
#define CURSORWIRE_CONNECT_BINARY_HEADER_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "cursorwire/export.h"

namespace cursorwire::connect {

// Values of headers and trailers whose names end in `-bin`: any bytes, base64 on the wire. Headers
// holds them as they are on the wire.
//
//   options.headers.Add("trace-bin", EncodeBinaryHeader(bytes));
//
// Source: Connect protocol, "Unary-Request", Custom-Metadata.

// Standard base64 without padding.
CURSORWIRE_EXPORT std::string EncodeBinaryHeader(std::string_view bytes);

// Takes base64 with padding, too.
//   kInvalidArgument  `value` is not base64. Several values that a server joined by commas are not:
//                     cut them apart first
CURSORWIRE_EXPORT absl::StatusOr<std::string> DecodeBinaryHeader(std::string_view value);

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_BINARY_HEADER_H_
