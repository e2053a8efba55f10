#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_LAYOUT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_LAYOUT_H_

#include <cstddef>
#include <vector>

#include "markdown/colors.h"
#include "markdown/markdown_block.h"
#include "markdown/styled_line.h"

namespace cursor_chat::markdown {

struct LayoutStyle {
  Colors colors = Colors::kAnsi;
  bool unicode = true;  // false: bullets and lines are ASCII
};

// Spaces before each line of code.
inline constexpr size_t kCodeMargin = 2;

// The lines of a block, each of at most `columns` columns (2 or more).
std::vector<StyledLine> LayOut(const MarkdownBlock& block, size_t columns,
                               const LayoutStyle& style);

// Puts `first` before the first line and `rest` before the others.
void Indent(const StyledLine& first, const StyledLine& rest, std::vector<StyledLine>& lines);

// A line across the screen.
StyledLine RuleLine(size_t columns, const LayoutStyle& style);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_LAYOUT_H_
