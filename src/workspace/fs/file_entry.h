#ifndef CURSORWIRE_SRC_WORKSPACE_FS_FILE_ENTRY_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_FILE_ENTRY_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "workspace/fs/open_file.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// A name in a folder, whether there is such a file or not: what a change is done to. The folder is
// open, so that whatever is moved meanwhile, the change is done where the path led when it was
// looked at.
struct FileEntry {
  OpenFile folder{};  // the last one on the way that there is
  // Folders to be made within `folder`, one in the other; none, if there is the file's own.
  std::vector<std::string> missing{};
  std::string name{};
  // Absolute, without symbolic links on the way.
  std::string path{};
};

// Where a path of the agent leads. Links are followed as Workspace does it; kRefuse keeps to the
// last one itself. Missing folders are told of where the path names them, but not behind a link.
//   kInvalidArgument   the folder itself is meant, or the name is no UTF-8, so that nobody could be
//                      asked for it
//   kPermissionDenied  it leads out
//   kNotFound          a folder is missing behind a link
absl::StatusOr<FileEntry> FindEntry(const Workspace& workspace, std::string_view path,
                                    LastLink link);

// The absolute path that an open file or folder has now.
absl::StatusOr<std::string> PathOf(const OpenFile& file);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_FILE_ENTRY_H_
