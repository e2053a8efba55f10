#ifndef CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_

#include <string>
#include <string_view>

#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// Whether git, an editor or a shell may run the contents of this file, or take a program from it at
// the next ordinary use of the folder. True at or below a name of the list in docs/workspace.md,
// such as `.git`, and in any folder that holds a file `HEAD`, which makes it a git folder. `path`
// must be absolute and without symbolic links; the file need not exist. Upper and lower case, and
// other spellings that some file systems treat as the same name, make no difference.
bool RunsCode(const Workspace& workspace, const std::string& path);

// Checks only the name of one part of such a path.
bool IsNameOfCode(std::string_view part);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_
