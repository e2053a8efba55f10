#ifndef CURSORWIRE_SRC_WORKSPACE_FS_FILE_VERSION_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_FILE_VERSION_H_

#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// What a name in a folder stood for at one moment. Comparing two of these shows a change.
struct FileVersion {
  bool exists = false;
  FileKind kind = FileKind::kRegular;
  struct stat facts {};  // for a link: the link's own
  // Set for a regular file that can be read and is not too large.
  std::optional<std::string> content{};
};

// Looks at `name` in `folder`, and reads up to `max_bytes` of content. A missing name is not an
// error. Other errors are those of FileError().
absl::StatusOr<FileVersion> LookAt(const OpenFile& folder, const std::string& name,
                                   size_t max_bytes);

// All that is left to read of a file; nullopt if there are more than `max_bytes`, or if reading
// fails.
std::optional<std::string> ReadAll(const OpenFile& file, size_t max_bytes);

// Compares everything that is known about both: file, times, size and bytes.
bool IsSame(const FileVersion& a, const FileVersion& b);

// True for valid UTF-8 without a zero byte.
bool IsText(std::string_view bytes);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_FILE_VERSION_H_
