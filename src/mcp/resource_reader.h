#ifndef CURSORWIRE_SRC_MCP_RESOURCE_READER_H_
#define CURSORWIRE_SRC_MCP_RESOURCE_READER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/exec.h"
#include "jsonrpc/json_text.h"

namespace cursorwire::mcp {

// What one answer to the agent lists, of all servers.
inline constexpr size_t kMaxResources = 500;

// Source: docs/mcp.md, resources.

// Whether a URI can be shown and asked for: not empty, not over 2 KiB, without characters that
// nobody sees.
bool IsResourceUri(std::string_view uri);

// Adds the resources of a page of resources/list. Returns how many it left out: they have no such
// URI, or there are too many.
//   kInternal  the page has no list of resources
absl::StatusOr<size_t> AddResources(const jsonrpc::Json& page, const std::string& server,
                                    std::vector<McpResource>& resources);

// A result of resources/read. Several contents become one text. Texts are cut, with a notice.
//   kInternal    the result has no contents
//   kOutOfRange  bytes over the limit of 5 MiB
absl::StatusOr<ReadMcpResourceOutput> ReadContents(const jsonrpc::Json& result);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_RESOURCE_READER_H_
