#ifndef CURSORWIRE_SRC_COLLAB_OCT_MSGPACK_H_
#define CURSORWIRE_SRC_COLLAB_OCT_MSGPACK_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cursorwire::oct {

// MessagePack as JSON values, in which byte strings are json::binary(). Source: the specification
// of msgpack; docs/collab/oct.md, "Envelope".

// Lists and maps within each other.
inline constexpr size_t kMaxMsgpackDepth = 32;
// Values of one message, and keys of maps; a value takes up to 150 bytes of memory beside its own.
inline constexpr size_t kMaxMsgpackValues = 100000;

// One value that is all of `bytes`. Extension types, such as `undefined` of msgpackr, become null;
// of members with the same name the last counts. The keys of maps must be text, and text UTF-8.
// Lengths that are claimed but not there cost nothing.
//   kInvalidArgument    not msgpack, cut short, or followed by more
//   kResourceExhausted  over a limit
absl::StatusOr<nlohmann::json> ReadMsgpack(std::string_view bytes);

// Integers of more than 32 bits become float64: the peers in JavaScript would take them for
// BigInts.
std::string WriteMsgpack(nlohmann::json value);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_MSGPACK_H_
