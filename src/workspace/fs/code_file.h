#ifndef CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// Whether git, an editor, an agent, a shell or a tool of building may run the contents of this
// file, or take a program from it at the next ordinary use of the folder. True at or below a name
// of the list in docs/workspace.md, such as `.git`; where such a name is a link that leads there;
// and in any folder that holds a file `HEAD`, which makes it a git folder. `asked` is the path as
// the agent has it; `path` where it leads, absolute and without symbolic links. The file need not
// exist. Upper and lower case, and other spellings that some file systems treat as the same name,
// make no difference.
bool RunsCode(const Workspace& workspace, std::string_view asked, const std::string& path);

// Whether the path is one of these, or another name of the same file. As of
// LocalExecOptions::code_files.
bool IsOneOf(const std::vector<std::string>& files, const std::string& path);

// Checks only the name of one part of such a path.
bool IsNameOfCode(std::string_view part);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_CODE_FILE_H_
