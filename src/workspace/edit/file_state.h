#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_STATE_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_STATE_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "workspace/fs/file_version.h"
#include "workspace/fs/open_file.h"
#include "workspace/fs/work_limit.h"

namespace cursorwire::workspace {

// What is remembered of a file's content, in few bytes. A value, of this process alone.
struct FileState {
  bool exists = false;
  // Of all bytes; nullopt: the file is too large, or cannot be read. Then the rest is compared.
  std::optional<size_t> hash{};
  dev_t device = 0;
  ino_t inode = 0;
  int64_t bytes = 0;
  int64_t modified_ns = 0;
};

size_t HashOfContent(std::string_view content);

FileState StateOf(const FileVersion& version);
// Leaves the file at its start. A file of more than `max_bytes`, or one that `limit` does not let
// it read, has no hash.
//   kUnknown  the file cannot be read
absl::StatusOr<FileState> StateOf(const OpenFile& file, size_t max_bytes, const WorkLimit& limit);
// Of a file that holds this, whichever it is.
FileState StateOfContent(std::string_view content);

// Whether both hold the same, as far as can be told: equal hashes or, if one has none, the same
// file of the same size and time.
bool HoldsTheSame(const FileState& a, const FileState& b);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_STATE_H_
