#ifndef CURSORWIRE_SRC_WORKSPACE_FS_FILE_ENTRY_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_FILE_ENTRY_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "workspace/fs/open_file.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// A name in a folder, to which a change is applied; the file need not exist. The folder is open, so
// that even if folders are moved meanwhile, the change happens where the path led when it was
// checked.
struct FileEntry {
  OpenFile folder{};  // the last existing folder on the path
  // Folders to create inside `folder`, each within the one before; empty if the file's own folder
  // exists.
  std::vector<std::string> missing{};
  std::string name{};
  // Absolute, without symbolic links in its folders.
  std::string path{};
};

// Finds where a path of the agent leads. Links are followed as in Workspace; with kRefuse the last
// one is not followed. Missing folders are reported if the path itself names them, but not after a
// link.
//   kInvalidArgument   the path means the workspace folder itself, or the name is not UTF-8, so
//                      that nobody could be asked about it
//   kPermissionDenied  the path leads out of the folder
//   kNotFound          a folder is missing behind a link
absl::StatusOr<FileEntry> FindEntry(const Workspace& workspace, std::string_view path,
                                    LastLink link);

// The current absolute path of an open file or folder.
absl::StatusOr<std::string> PathOf(const OpenFile& file);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_FILE_ENTRY_H_
