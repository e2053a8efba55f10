#include "sandbox/inode.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace cursorwire::sandbox {

FileDescriptor OpenUnlinked(
    int root, std::string_view path,
    absl::FunctionRef<void(const std::string& part, const struct stat& info)> tell) {
  FileDescriptor at;
  for (size_t start = 0; start < path.size();) {
    const size_t end = std::min(path.find('/', start + 1), path.size());
    const std::string name(path.substr(start + 1, end - start - 1));
    start = end;
    if (path.front() != '/' || name.empty() || name == "." || name == "..") {
      errno = EINVAL;
      return FileDescriptor();
    }
    FileDescriptor next(
        ::openat(at.valid() ? at.get() : root, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!next.valid() || ::fstat(next.get(), &info) != 0) return FileDescriptor();
    at = std::move(next);
    tell(std::string(path.substr(0, end)), info);
  }
  return at;
}

FileDescriptor OpenUnlinked(int root, std::string_view path) {
  return OpenUnlinked(root, path, [](const std::string&, const struct stat&) {});
}

}  // namespace cursorwire::sandbox
