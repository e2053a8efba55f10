#ifndef CURSORWIRE_SRC_COLLAB_CBOR_CBOR_H_
#define CURSORWIRE_SRC_COLLAB_CBOR_CBOR_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "collab/cbor/cbor_value.h"

namespace cursorwire::collab {

struct CborLimits {
  size_t max_depth = 32;
  size_t max_items = 1000000;
};

// One item that is all of `bytes`. Tags are left out, and what they are about is kept; integers
// that need more than 63 bits become floats. Text must be UTF-8. Memory: what is read, and 100
// bytes an item; lengths that are claimed and not there cost nothing.
//   kInvalidArgument    no CBOR, cut short, or followed by more
//   kResourceExhausted  over a limit
absl::StatusOr<CborValue> ReadCbor(std::string_view bytes, const CborLimits& limits = {});

// In the shortest form, with lengths in front; whole numbers above 2^32 as float64, as the peers in
// JavaScript write them. Members of maps that are undefined are left out.
std::string WriteCbor(const CborValue& value);

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_CBOR_CBOR_H_
