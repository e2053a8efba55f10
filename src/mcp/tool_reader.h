#ifndef CURSORWIRE_SRC_MCP_TOOL_READER_H_
#define CURSORWIRE_SRC_MCP_TOOL_READER_H_

#include <absl/status/statusor.h>

#include <string>

#include "cursorwire/mcp/servers.h"
#include "jsonrpc/json_text.h"

namespace cursorwire::mcp {

using jsonrpc::Json;

struct ReadTool {
  ServerTool tool{};
  std::string notice{};  // what was changed and a person should know; empty: nothing
};

// One tool of a list, made fit for models. A schema that is missing or null becomes one of any
// object, a missing `type` is added and `required: null` is dropped.
//   kInvalidArgument    the tool cannot be offered; the message is to follow its name
//   kResourceExhausted  it is too large
absl::StatusOr<ReadTool> ReadServerTool(const Json& value);

// Whether the server wants arguments of the tool in headers of HTTP, too: a part of its schema has
// the member `x-mcp-header`. Source: docs/mcp.md, servers over HTTP.
bool WantsHeaders(const Json& schema);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_TOOL_READER_H_
