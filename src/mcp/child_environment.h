#ifndef CURSORWIRE_SRC_MCP_CHILD_ENVIRONMENT_H_
#define CURSORWIRE_SRC_MCP_CHILD_ENVIRONMENT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::mcp {

// The environment of a server's process, as "NAME=value": what it needs to run, out of `variables`
// (ended by a null pointer, like `environ`), and what its configuration adds or replaces. Nothing
// else: other variables may be secrets.
std::vector<std::string> ChildEnvironment(const char* const* variables,
                                          const std::map<std::string, std::string>& added);

// The value of PATH in such a list.
std::string_view PathOf(const std::vector<std::string>& environment);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_CHILD_ENVIRONMENT_H_
