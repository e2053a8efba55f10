#ifndef CURSORWIRE_SRC_MCP_PLAIN_TEXT_H_
#define CURSORWIRE_SRC_MCP_PLAIN_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace cursorwire::mcp {

// A server's text without what a reader does not see and a model does: control characters but for
// line ends and tabs, marks of direction, zero-width characters and tags. UTF-8.
std::string PlainText(std::string_view text);

// The same on one line, cut to `max_bytes` between characters, with "..." where it is cut.
std::string PlainLine(std::string_view text, size_t max_bytes);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_PLAIN_TEXT_H_
