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

// A pattern is JSON that names what must be equal: of an object the members that it has, of a list
// every element, anything else itself. A number also equals a string of its digits, since
// protobuf's JSON mapping writes 64-bit numbers so. An object whose members begin with "$" holds
// operators, all of which must be true:
//   $contains     a string has this part; a list has an element that matches this pattern
//   $starts_with  a string begins so
//   $any: true    there is a value; $absent: true  there is none
//   $size         elements of a list, bytes of a string
//   $text         base64, as bytes fields are: the bytes as text match this pattern
//   $hex          base64: the bytes are these
//   $json         a string is JSON that matches this pattern
//   $as           {"NAME": pattern}: base64 of the message agent.v1.NAME, which matches

// A pattern that can never match, or not what its author meant: an unknown operator or one with a
// wrong operand, or a member that `type` has no field for. nullptr: any JSON.
//   kInvalidArgument  the message says where
absl::Status CheckPattern(const Json& pattern, const google::protobuf::Descriptor* type);

// Where and how `actual` differs from the pattern: one sentence of bounded length; nullopt if it
// matches. The pattern was checked.
std::optional<std::string> FindMismatch(const Json& pattern, const Json& actual);

// In protobuf's JSON mapping, but for the arguments of tools (upstream/script/mcp_arguments.h),
// with the names of the schema; plain fields that are not set are there with their default.
Json MessageToJson(const google::protobuf::Message& message);

// Text for a sentence: at most `max_bytes` of it.
std::string Excerpt(const Json& json, size_t max_bytes = 400);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_EXPECTATION_H_
