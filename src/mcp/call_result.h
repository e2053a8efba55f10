#ifndef CURSORWIRE_SRC_MCP_CALL_RESULT_H_
#define CURSORWIRE_SRC_MCP_CALL_RESULT_H_

#include "cursorwire/tools.h"
#include "jsonrpc/json_text.h"

namespace cursorwire::mcp {

// A result of tools/call as one of a tool. Texts are cut. Images that are too large, or of a type
// that the service does not take, and contents that models do not read become a line of text that
// names them; the type of an image is told by its bytes. Source: docs/mcp.md, what models see.
ToolResult ReadCallResult(const jsonrpc::Json& json);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_CALL_RESULT_H_
