#ifndef CURSORWIRE_SRC_SANDBOX_PATH_ORDER_H_
#define CURSORWIRE_SRC_SANDBOX_PATH_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::sandbox {

// Of two absolute paths without links, `.` and slashes at their end, by their words alone.
inline bool IsAtOrBelow(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Whether the path is one of these folders, or lies below one.
inline bool IsWithinAny(std::string_view path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [path](std::string_view folder) { return IsAtOrBelow(path, folder); });
}

// The path of the folder that an absolute path lies in.
inline std::string FolderOfPath(std::string_view path) {
  return std::string(path.substr(0, std::max(path.rfind('/'), size_t{1})));
}

// Each once, in an order in which a folder comes before what is below it.
inline void SortPaths(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
}

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_PATH_ORDER_H_
