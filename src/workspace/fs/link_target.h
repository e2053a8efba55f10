#ifndef CURSORWIRE_SRC_WORKSPACE_FS_LINK_TARGET_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_LINK_TARGET_H_

#include <cstddef>
#include <optional>
#include <string>

namespace cursorwire::workspace {

// How many names of paths are followed for one question: a stranger made the links. A real path has
// some dozens, and each costs a call of the system.
inline constexpr size_t kMaxNamesFollowed = 10'000;

// Where an absolute path leads by all links of the file system, also by those out of the workspace,
// with or without something there: absolute, without links, `.` and `..`. Takes its names, and
// those of its links, off `names_left`. nullopt: nobody can say, since these are too many, or the
// path is too long to be written, or passes where this process may not look, or a link leads into
// /proc, which looks different to each process.
std::optional<std::string> WhereItLeads(const std::string& path, size_t& names_left);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_LINK_TARGET_H_
