#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_ROW_MARK_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_ROW_MARK_H_

#include <cstddef>
#include <vector>

#include "markdown/styled_line.h"

namespace cursor_chat::markdown {

// Lines of this program begin with certain words, which AnswerMarks marks in the source of an
// answer. Entities, links and the ends of rows can make them of other sources: so a row that begins
// with them on the screen gets the mark here, and is cut to `columns` columns (2 or more). Any
// other row is returned as it is.
std::vector<StyledLine> MarkRow(StyledLine row, size_t columns);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_ROW_MARK_H_
