#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_LINE_EDITS_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_LINE_EDITS_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace cursorwire::workspace {

// A range of lines of the old text, counted from 0, and the new lines that replace it.
struct LineEdit {
  size_t old_first = 0;
  size_t old_count = 0;
  size_t new_first = 0;
  size_t new_count = 0;

  bool operator==(const LineEdit&) const = default;
};

// The lines of a text, each including its newline; the last one may have no newline.
std::vector<std::string_view> SplitLines(std::string_view text);

// The edits that turn the old lines into the new ones, in order, with at least one common line
// between any two. Changes as few lines as possible: E. Myers, "An O(ND) Difference Algorithm and
// Its Variations", 1986. If more than a few thousand lines change, one edit replaces everything
// from the first to the last line that differs; that bounds time and memory.
std::vector<LineEdit> FindEdits(const std::vector<std::string_view>& old_lines,
                                const std::vector<std::string_view>& new_lines);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_LINE_EDITS_H_
