#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_PIPE_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_PIPE_H_

#include <absl/status/statusor.h>

#include <cstddef>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// Both ends are closed on exec. They never take the numbers of standard input, output or error,
// even if these are closed.
struct Pipe {
  OpenFile read_end{};
  OpenFile write_end{};
};

//   kUnknown  no file descriptor is left
absl::StatusOr<Pipe> MakePipe();

// Makes reads and writes of this end non-blocking. The other end is not changed.
void SetNonBlocking(const OpenFile& end);

// write(2), as far as there is room. Returns the number of bytes written, or an error of errno.h as
// a negative number: -EPIPE without a reader. No SIGPIPE reaches the process.
ptrdiff_t WriteToPipe(const OpenFile& end, const char* bytes, size_t size);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_PIPE_H_
