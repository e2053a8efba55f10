#ifndef CURSORWIRE_SRC_WORKSPACE_FS_OPEN_FILE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_OPEN_FILE_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "base/file_descriptor.h"

namespace cursorwire::workspace {

enum class FileKind { kRegular, kFolder, kLink, kPipe, kSocket, kDevice };

// A description with an article, such as "a folder".
const char* Describe(FileKind kind);

// The kind that `st_mode` stands for.
FileKind KindOfMode(mode_t mode);

struct FileFacts {
  FileKind kind = FileKind::kRegular;
  int64_t bytes = 0;
  int64_t modified_ns = 0;  // since 1970
};

// An open file, folder or pipe. Move-only; thread-compatible.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int fd) : fd_(fd) {}

  int fd() const { return fd_.get(); }
  // The caller closes it.
  int Release() { return fd_.Release(); }
  absl::StatusOr<FileFacts> Facts() const;
  // Reads the next bytes and returns how many; 0 at the end.
  absl::StatusOr<size_t> Read(char* buffer, size_t size) const;
  // The next Read() starts again at the first byte.
  absl::Status Rewind() const;

 private:
  FileDescriptor fd_;
};

// Nanoseconds since 1970, as of FileFacts.
int64_t NanosecondsOf(const timespec& time);

// Maps an errno value of a system call on a file to ExecHandler's codes: kNotFound,
// kPermissionDenied, kInvalidArgument, or kUnknown.
absl::Status FileError(int error);
// The same for a call that changes a file or folder; adds kResourceExhausted if no space is left.
absl::Status ChangeError(int error);
// The same for a place below the shared folder: only a link can lead out from there.
absl::Status PlaceError(int error);
// kInvalidArgument: `kind` is not the `wanted` one.
absl::Status WrongKind(FileKind kind, FileKind wanted);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_OPEN_FILE_H_
