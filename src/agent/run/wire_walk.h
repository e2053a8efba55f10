#ifndef CURSORWIRE_SRC_AGENT_RUN_WIRE_WALK_H_
#define CURSORWIRE_SRC_AGENT_RUN_WIRE_WALK_H_

#include <google/protobuf/descriptor.h>

#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::agent {

// Walks through serialized messages along their type, where parsing them would do too much or does
// not go: 100 messages deep at most, as protobuf does.

// Whether the bytes, and those of the messages within them, are fields. Allocates nothing. Strings
// may be any bytes.
bool IsWellFormed(std::string_view message, const google::protobuf::Descriptor& type);

// The message with U+FFFD in place of each byte in its strings that is no UTF-8: strings of proto3
// that hold one do not parse. nullopt: it is not well-formed.
std::optional<std::string> WithUtf8Strings(std::string_view message,
                                           const google::protobuf::Descriptor& type);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_WIRE_WALK_H_
