#ifndef CURSORWIRE_SRC_SANDBOX_EXPECTED_MOUNTS_H_
#define CURSORWIRE_SRC_SANDBOX_EXPECTED_MOUNTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/inode.h"

namespace cursorwire::sandbox {

// A mount that has to be there, under the path that its file or folder has outside.
struct ExpectedMount {
  enum class Kind : uint8_t {
    kBind,         // that file or folder itself
    kEmptyFile,    // /dev/null over it
    kEmptyFolder,  // an empty file system over it
  };
  std::string path{};
  Kind kind = Kind::kBind;
  Inode inode{};  // of what the path named when it was looked up; {}: nothing, which never matches
  // Its folder is a mount as well, so that its name cannot be changed by way of a folder above.
  bool folder_is_mount = false;
};

// The mounts of a command that another command could have misled: between the look for their paths
// and the mounts, folders of the workspace may have been exchanged. A value.
struct ExpectedMounts {
  std::string private_folder{};  // is /tmp inside
  Inode private_inode{};
  std::vector<ExpectedMount> within{};  // the places that may be changed, and these themselves
};

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_EXPECTED_MOUNTS_H_
