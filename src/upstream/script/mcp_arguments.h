#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_MCP_ARGUMENTS_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_MCP_ARGUMENTS_H_

#include <absl/status/status.h>
#include <google/protobuf/descriptor.h>

#include "upstream/script/expectation.h"

namespace cursorwire::upstream {

// The arguments of a tool call, McpArgs.args, are bytes in the schema, each a serialized
// google.protobuf.Value (proto/README.md). In scripts they are written as the JSON of that Value.

// Converts the JSON of a script to protobuf's JSON mapping of `type`, wherever McpArgs occur in it.
//   kInvalidArgument  an argument is over the limits of agent::JsonToValue()
absl::Status PackMcpArguments(const google::protobuf::Descriptor& type, Json& object);

// The inverse. An argument that is not a Value becomes text.
void UnpackMcpArguments(const google::protobuf::Descriptor& type, Json& object);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_MCP_ARGUMENTS_H_
