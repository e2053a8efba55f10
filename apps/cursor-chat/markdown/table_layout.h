#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_TABLE_LAYOUT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_TABLE_LAYOUT_H_

#include <cstddef>
#include <vector>

#include "markdown/layout.h"
#include "markdown/markdown_block.h"
#include "markdown/styled_line.h"

namespace cursor_chat::markdown {

// The lines of a table, each of at most `columns` columns (2 or more). Cells that are too wide are
// wrapped. If the columns of the table do not fit side by side, each row becomes a list of "name:
// value".
std::vector<StyledLine> LayOutTable(const MarkdownBlock& table, size_t columns,
                                    const LayoutStyle& style);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_TABLE_LAYOUT_H_
