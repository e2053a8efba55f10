#ifndef CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_

#include <string>
#include <string_view>

#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// Whether git, an editor or a shell may run what stands in this file, or at the next ordinary use
// of the folder take a program from it: a file at or below what is called `.git`, below any other
// folder of git, or with a name of the list in docs/workspace.md. `path` is absolute and without
// symbolic links; there may be nothing. Upper and lower case and other spellings that some file
// systems take for the same name count as one.
bool RunsCode(const Workspace& workspace, const std::string& path);

// One part of such a path, by its name alone.
bool IsNameOfCode(std::string_view part);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_
