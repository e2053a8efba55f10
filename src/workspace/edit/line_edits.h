#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_LINE_EDITS_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_LINE_EDITS_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace cursorwire::workspace {

// Lines of an old text, counted from 0, that others take the place of.
struct LineEdit {
  size_t old_first = 0;
  size_t old_count = 0;
  size_t new_first = 0;
  size_t new_count = 0;

  bool operator==(const LineEdit&) const = default;
};

// The lines of a text, each with its newline; a last one may have none.
std::vector<std::string_view> SplitLines(std::string_view text);

// How the old lines become the new ones, in their order, with at least one common line between any
// two. As few lines as possible are changed: E. Myers, "An O(ND) Difference Algorithm and Its
// Variations", 1986. Where more than some thousand are, one edit replaces everything from the first
// to the last line that differs: that bounds time and memory.
std::vector<LineEdit> FindEdits(const std::vector<std::string_view>& old_lines,
                                const std::vector<std::string_view>& new_lines);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_LINE_EDITS_H_
