#ifndef CURSORWIRE_SRC_WORKSPACE_FS_FILE_VERSION_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_FILE_VERSION_H_

#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// What a name in a folder stood for at one moment, so that it can be seen whether that is still so.
struct FileVersion {
  bool exists = false;
  FileKind kind = FileKind::kRegular;
  struct stat facts {};  // of a link: its own
  // Set for a regular file that can be read and is not too large.
  std::optional<std::string> content{};
};

// Looks at `name` in `folder`, and reads up to `max_bytes` of content. A name that there is none of
// is no error. Other errors as of FileError().
absl::StatusOr<FileVersion> LookAt(const OpenFile& folder, const std::string& name,
                                   size_t max_bytes);

// By all that is known of both: the file, its times and size, and its bytes.
bool IsSame(const FileVersion& a, const FileVersion& b);

// No zero byte, and UTF-8.
bool IsText(std::string_view bytes);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_FILE_VERSION_H_
