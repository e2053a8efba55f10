#ifndef CURSORWIRE_SRC_SANDBOX_MEMORY_FILE_H_
#define CURSORWIRE_SRC_SANDBOX_MEMORY_FILE_H_

#include <absl/status/statusor.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace cursorwire::sandbox {

// A file in memory with that content, to be read from its start.
//   kUnavailable  no memory or file descriptor is left
inline absl::StatusOr<FileDescriptor> MemoryFile(std::string_view content) {
  FileDescriptor file(::memfd_create("cursorwire", MFD_CLOEXEC));
  bool good = file.valid();
  while (good && !content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count > 0) content.remove_prefix(static_cast<size_t>(count));
    good = count > 0 || (count < 0 && errno == EINTR);
  }
  if (!good || ::lseek(file.get(), 0, SEEK_SET) != 0) {
    return LocalError(absl::StatusCode::kUnavailable,
                      "a file in memory cannot be made: " + std::system_category().message(errno));
  }
  return file;
}

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_MEMORY_FILE_H_
