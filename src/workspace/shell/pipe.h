#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_PIPE_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_PIPE_H_

#include <absl/status/statusor.h>

#include <cstddef>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// Both ends are closed on exec, and are no standard input or output of this process, wherever these
// are closed.
struct Pipe {
  OpenFile read_end{};
  OpenFile write_end{};
};

//   kUnknown  no file descriptor is left
absl::StatusOr<Pipe> MakePipe();

// Reads and writes of this end never wait. The other end is not changed.
void SetNonBlocking(const OpenFile& end);

// write(2), of as much as there is room for: how much that was, or an error of errno.h as a
// negative number. Without a reader it is -EPIPE, and no SIGPIPE reaches the process.
ptrdiff_t WriteToPipe(const OpenFile& end, const char* bytes, size_t size);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_PIPE_H_
