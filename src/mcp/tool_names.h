#ifndef CURSORWIRE_SRC_MCP_TOOL_NAMES_H_
#define CURSORWIRE_SRC_MCP_TOOL_NAMES_H_

#include <set>
#include <string>
#include <string_view>

namespace cursorwire::mcp {

// Names that models take: letters, digits, "_" and "-", and at most 64 of them in
// mcp_<provider>_<tool>. The same names always become the same, in the same order, so that caches
// of prompts stay valid. What does not fit is cut in front of a hash of the whole, so that two
// names do not become one.

// The provider of a server, at most 24 letters, digits and "-". Is added to `taken`.
std::string ProviderName(std::string_view server, std::set<std::string>& taken);

// The name of a tool of that provider. Is added to `taken`, the names of its tools. Names that fit
// as they are should go first.
std::string ToolName(std::string_view provider, std::string_view tool,
                     std::set<std::string>& taken);
// Whether a tool of that provider can keep its name.
bool FitsAsToolName(std::string_view provider, std::string_view tool);

// The name of that tool among all of a request. Is added to `taken`.
std::string RequestName(std::string_view provider, std::string_view tool,
                        std::set<std::string>& taken);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_TOOL_NAMES_H_
