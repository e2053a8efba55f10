#ifndef CURSORWIRE_SRC_AGENT_TOOLS_JSON_VALUE_H_
#define CURSORWIRE_SRC_AGENT_TOOLS_JSON_VALUE_H_

#include <absl/status/statusor.h>
#include <google/protobuf/map.h>
#include <google/protobuf/struct.pb.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace cursorwire::agent {

// google.protobuf.Value, in which schemas and arguments of tools travel, as JSON text and back.
// A Value holds every number as a double. Source: docs/protocol.md, MCP calls.

constexpr size_t kMaxValueJsonBytes = size_t{16} * 1024 * 1024;

// If members share a name, the last one counts. An integer beyond 2^53 becomes the nearest double.
//   kInvalidArgument  not JSON, or longer than kMaxValueJsonBytes, or over the limits of
//                     wire::ParseJson(), or a number that no double comes near
absl::StatusOr<google::protobuf::Value> JsonToValue(std::string_view json);

// Compact, with the members of objects in the order of their names. Whole numbers of up to 2^53 are
// written as integers, others in the shortest form that reads back as the same double. What JSON
// has no word for is null: an infinite number, a Value of no kind, and what is nested deeper than
// wire::kMaxJsonDepth.
std::string ValueToJson(const google::protobuf::Value& value);

// The arguments of a call as one JSON object, with their names in order. Each is the bytes of a
// Value; one that is no Value is taken as text. Source: docs/protocol.md, MCP calls.
std::string ArgumentsJson(const google::protobuf::Map<std::string, std::string>& args);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TOOLS_JSON_VALUE_H_
