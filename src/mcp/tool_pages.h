#ifndef CURSORWIRE_SRC_MCP_TOOL_PAGES_H_
#define CURSORWIRE_SRC_MCP_TOOL_PAGES_H_

#include <absl/status/status.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cursorwire/mcp/servers.h"
#include "mcp/page_cursor.h"
#include "mcp/tool_reader.h"

namespace cursorwire::mcp {

// What becomes of tools whose server wants arguments in headers, too: it refuses calls without
// them.
enum class HeaderArguments {
  kIgnored,  // the transport, or the revision of the protocol, has none
  kWanted,   // they are left out, since nobody sends such headers
};

// Collects the tools of one server from the pages of its list, within the limits. What it leaves
// out is in notices(), the server never fails for it.
//
// Order: Add() for each page until next_cursor() is nullopt. Thread-compatible.
class ToolPages {
 public:
  explicit ToolPages(HeaderArguments headers) : headers_(headers) {}

  // Takes a result of tools/list.
  //   kInternal  the result is no list of tools
  absl::Status Add(const Json& result);

  // For the next page; an empty string is a cursor too. nullopt: there is no other page, or no more
  // are read.
  const std::optional<std::string>& next_cursor() const { return cursor_.next(); }
  const std::vector<ServerTool>& tools() const { return tools_; }
  // At most 20 lines, and one that counts the rest.
  std::vector<std::string> notices() const;

 private:
  void AddTool(const Json& value);
  void Notice(std::string text);

  const HeaderArguments headers_;
  std::vector<ServerTool> tools_;
  std::set<std::string> names_;
  std::vector<std::string> notices_;
  size_t more_notices_ = 0;
  size_t left_out_ = 0;  // over the limits of a server
  size_t bytes_ = 0;
  PageCursor cursor_;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_TOOL_PAGES_H_
