#ifndef CURSORWIRE_SRC_SANDBOX_INODE_H_
#define CURSORWIRE_SRC_SANDBOX_INODE_H_

#include <absl/functional/function_ref.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"

namespace cursorwire::sandbox {

// A file or folder, whatever its name.
using Inode = std::pair<dev_t, ino_t>;

inline Inode InodeOf(const struct stat& info) { return {info.st_dev, info.st_ino}; }

// Opens an absolute path below the folder `root` with O_PATH, part by part. A link on the way is
// not followed, and one at the end is opened itself. Tells each part, with its path, as it was
// opened. Not valid: it is not there, or there is a link or `..` on the way; see errno.
FileDescriptor OpenUnlinked(
    int root, std::string_view path,
    absl::FunctionRef<void(const std::string& part, const struct stat& info)> tell);
FileDescriptor OpenUnlinked(int root, std::string_view path);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_INODE_H_
