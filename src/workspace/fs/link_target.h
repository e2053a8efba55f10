#ifndef CURSORWIRE_SRC_WORKSPACE_FS_LINK_TARGET_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_LINK_TARGET_H_

#include <optional>
#include <string>

namespace cursorwire::workspace {

// Where an absolute path leads by all links of the file system, also by those out of the workspace,
// with or without something there: absolute, without links, `.` and `..`. nullopt: nobody can say,
// since there are too many links, or one leads into /proc, which looks different to each process.
std::optional<std::string> WhereItLeads(const std::string& path);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_LINK_TARGET_H_
