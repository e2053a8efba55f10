#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_LIST_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_LIST_H_

#include <absl/status/status.h>

#include <functional>
#include <string>

#include "workspace/fs/work_limit.h"
#include "workspace/fs/workspace.h"
#include "workspace/search/file_filter.h"
#include "workspace/search/folder_walk.h"

namespace cursorwire::workspace {

enum class FileOrder { kPath, kPathBackwards, kOldestFirst, kNewestFirst };

enum class ListEnd {
  kComplete,
  kIncomplete,  // the time limit was over, or there were too many files
};

// Calls `visit` for the regular files below the folder at `start` that the rules and `filter`
// admit, in the given order. Order by path sorts the names within each folder by their bytes.
// Whatever below `start` cannot be read is left out. Fails with the errors of
// Workspace::OpenFolder() for `start` itself.
absl::StatusOr<ListEnd> ListFiles(const Workspace& workspace, const std::string& start,
                                  const FileFilter& filter, FileOrder order, const WorkLimit& limit,
                                  const std::function<void(const std::string& place)>& visit);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_LIST_H_
