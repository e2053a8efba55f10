#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_TYPES_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_TYPES_H_

#include <string_view>

namespace cursorwire::workspace {

// The glob for the files of a language, by ripgrep's name for it or a usual short form: "cpp",
// "py". Empty if the name is unknown.
std::string_view GlobOfType(std::string_view type);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_FILE_TYPES_H_
