#ifndef CURSORWIRE_SRC_AGENT_TOOLS_JSON_VALUE_H_
#define CURSORWIRE_SRC_AGENT_TOOLS_JSON_VALUE_H_

#include <absl/status/statusor.h>
#include <google/protobuf/map.h>
#include <google/protobuf/struct.pb.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace cursorwire::agent {

// Converts google.protobuf.Value, the type of tool schemas and arguments, to JSON text and back.
// A Value holds every number as a double. Source: docs/protocol.md, MCP calls.

constexpr size_t kMaxValueJsonBytes = size_t{16} * 1024 * 1024;

// If members share a name, the last one counts. An integer beyond 2^53 becomes the nearest double.
//   kInvalidArgument  not JSON, longer than kMaxValueJsonBytes, over the limits of
//                     wire::ParseJson(), or a number outside the range of a double
absl::StatusOr<google::protobuf::Value> JsonToValue(std::string_view json);

// Compact, with the members of objects sorted by name. Whole numbers up to 2^53 are written as
// integers, others in the shortest form that reads back as the same double. What JSON cannot
// express becomes null: an infinite number, a Value without a kind, and anything nested deeper than
// wire::kMaxJsonDepth.
std::string ValueToJson(const google::protobuf::Value& value);

// The arguments of a call as one JSON object, sorted by name. Each argument is a serialized Value;
// bytes that are not a Value are taken as text. Source: docs/protocol.md, MCP calls.
std::string ArgumentsJson(const google::protobuf::Map<std::string, std::string>& args);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TOOLS_JSON_VALUE_H_
