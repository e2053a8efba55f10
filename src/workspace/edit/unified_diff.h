#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_UNIFIED_DIFF_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_UNIFIED_DIFF_H_

#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::workspace {

// One side of a diff.
struct DiffSide {
  std::string_view name{};  // of the file; empty: the file does not exist
  std::string_view text{};
};

// The changes in the unified format of diff(1): "---" and "+++" lines, and hunks with three lines
// of context. A file that does not exist is shown as /dev/null. Control characters of names become
// '?'. nullopt if the diff would be too large to read: over 1 MiB, or over 200,000 lines on one
// side.
std::optional<std::string> UnifiedDiff(const DiffSide& old_side, const DiffSide& new_side);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_UNIFIED_DIFF_H_
