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
  kIncomplete,  // the limit was over, or there are more files than are looked at
};

// Passes the regular files below the folder at `start` that the rules and `filter` admit to
// `visit`, in that order. By path, the names of folders and files of each folder are sorted by
// their bytes. What cannot be read below `start` is left out.
//   the errors of Workspace::OpenFolder() for `start` itself
absl::StatusOr<ListEnd> ListFiles(const Workspace& workspace, const std::string& start,
                                  const FileFilter& filter, FileOrder order, const WorkLimit& limit,
                                  const std::function<void(const std::string& place)>& visit);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_LIST_H_
