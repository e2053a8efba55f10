#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_TYPES_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_TYPES_H_

#include <string_view>

namespace cursorwire::workspace {

// The glob of the files of a language, by its name as ripgrep has it or a usual short form: "cpp",
// "py". Empty if it is not known.
std::string_view GlobOfType(std::string_view type);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_TYPES_H_
