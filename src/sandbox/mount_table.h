#ifndef CURSORWIRE_SRC_SANDBOX_MOUNT_TABLE_H_
#define CURSORWIRE_SRC_SANDBOX_MOUNT_TABLE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace cursorwire::sandbox {

// A mount of a process. A value.
struct TableMount {
  uint32_t parent = 0;        // the id of the mount that it is mounted in
  std::string root{};         // what of its file system is mounted
  std::string mount_point{};  // its path, as the process sees it
  std::string type{};         // of its file system: "tmpfs"
};

// By their ids.
using MountTable = std::map<uint32_t, TableMount>;

inline constexpr size_t kMaxMountTableBytes = size_t{4} * 1024 * 1024;

// Reads the text of /proc/PID/mountinfo. Paths in it may have any bytes. Source: man 5 proc.
//   kInvalidArgument    a line is not as it should be, its end is missing, or an id is there twice
//   kResourceExhausted  more than kMaxMountTableBytes
absl::StatusOr<MountTable> ParseMountTable(std::string_view text);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_MOUNT_TABLE_H_
