#ifndef CURSORWIRE_SRC_PROCESS_PIPE_H_
#define CURSORWIRE_SRC_PROCESS_PIPE_H_

#include <absl/status/statusor.h>

#include <cstddef>

#include "base/file_descriptor.h"

namespace cursorwire::process {

// Both ends are closed on exec. They never take the numbers of standard input, output or error,
// even if these are closed.
struct Pipe {
  FileDescriptor read_end{};
  FileDescriptor write_end{};
};

//   kUnknown  no file descriptor is left
absl::StatusOr<Pipe> MakePipe();

// Makes reads and writes of this end non-blocking. The other end is not changed.
void SetNonBlocking(const FileDescriptor& end);

// write(2), as far as there is room. Returns the number of bytes written, or an error of errno.h as
// a negative number: -EPIPE without a reader. No SIGPIPE reaches the process.
ptrdiff_t WriteToPipe(const FileDescriptor& end, const char* bytes, size_t size);

}  // namespace cursorwire::process

#endif  // CURSORWIRE_SRC_PROCESS_PIPE_H_
