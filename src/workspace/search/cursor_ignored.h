#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_CURSOR_IGNORED_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_CURSOR_IGNORED_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// Absolute paths of what the `.cursorignore` files of the folder name: a folder stands for all that
// is in it. Only where the folder itself has such a file, its whole tree is walked, also what git
// ignores, for which 2 s are given.
//   kResourceExhausted  more than 1000 matches, or no time: none would be whole
absl::StatusOr<std::vector<std::string>> FindCursorIgnored(const Workspace& workspace);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_CURSOR_IGNORED_H_
