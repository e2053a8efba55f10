#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_EXPECTATION_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_EXPECTATION_H_

#include <absl/status/status.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace cursorwire::upstream {

using Json = nlohmann::json;

// A pattern is JSON that names what must be equal: for an object the members that the pattern has,
// for a list every element, otherwise the value itself. A number also equals a string of its
// digits, since protobuf's JSON mapping writes 64-bit numbers as strings. An object whose members
// begin with "$" holds operators, all of which must be true:
//   $contains     a string has this part; a list has an element that matches this pattern
//   $starts_with  a string begins with this
//   $any: true    the value is present; $absent: true  the value is absent
//   $size         number of elements of a list, or of bytes of a string
//   $text         base64, as for bytes fields: the bytes as text match this pattern
//   $hex          base64: the bytes are these
//   $json         a string is JSON that matches this pattern
//   $as           {"NAME": pattern}: base64 of the message agent.v1.NAME, which matches

// Finds a pattern that can never match, or that its author cannot have meant: an unknown operator,
// a wrong operand, or a member that is not a field of `type`. nullptr: any JSON.
//   kInvalidArgument  the message says where
absl::Status CheckPattern(const Json& pattern, const google::protobuf::Descriptor* type);

// Says where and how `actual` differs from the pattern, in one sentence of bounded length; nullopt
// if it matches. The pattern must have been checked.
std::optional<std::string> FindMismatch(const Json& pattern, const Json& actual);

// Protobuf's JSON mapping with the names of the schema, except for the arguments of tools
// (upstream/script/mcp_arguments.h). Plain fields that are not set appear with their default.
Json MessageToJson(const google::protobuf::Message& message);

// The JSON as text for a sentence, cut to `max_bytes`.
std::string Excerpt(const Json& json, size_t max_bytes = 400);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_EXPECTATION_H_
