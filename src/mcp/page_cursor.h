#ifndef CURSORWIRE_SRC_MCP_PAGE_CURSOR_H_
#define CURSORWIRE_SRC_MCP_PAGE_CURSOR_H_

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "jsonrpc/json_text.h"

namespace cursorwire::mcp {

// The way through a list of a server that comes in pages: at most 200, and none twice.
// Thread-compatible.
class PageCursor {
 public:
  // Takes a page. Returns why the rest is left out, as the end of a sentence about the list; "" if
  // it is not.
  std::string Read(const jsonrpc::Json& page);

  // For the next page; an empty string is a cursor too. nullopt: there is no other page, or no more
  // are read.
  const std::optional<std::string>& next() const { return next_; }

 private:
  std::optional<std::string> next_;
  std::set<std::string> known_;
  size_t pages_ = 0;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_PAGE_CURSOR_H_
