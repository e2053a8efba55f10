#ifndef CURSORWIRE_SRC_SANDBOX_REMOVE_TREE_H_
#define CURSORWIRE_SRC_SANDBOX_REMOVE_TREE_H_

#include <absl/status/status.h>

#include "base/file_descriptor.h"

namespace cursorwire::sandbox {

// Removes all that is in a folder, open for reading, whoever made it and however deep it is: not
// what links point at, and nothing on another file system that is mounted below it. Holds a few
// descriptors and little memory.
//   kUnavailable        the system does not let it; says what
//   kResourceExhausted  there is more than 10 million entries or 30 seconds of work
absl::Status EmptyFolder(const FileDescriptor& folder);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_REMOVE_TREE_H_
