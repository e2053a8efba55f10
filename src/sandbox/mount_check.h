#ifndef CURSORWIRE_SRC_SANDBOX_MOUNT_CHECK_H_
#define CURSORWIRE_SRC_SANDBOX_MOUNT_CHECK_H_

#include <absl/status/statusor.h>

#include <cstdint>

#include "sandbox/expected_mounts.h"
#include "sandbox/status_pipe.h"

namespace cursorwire::sandbox {

enum class MountsState : uint8_t {
  kAsExpected,
  kEnded,  // bubblewrap has: nothing runs, and nothing will
};

// Waits until bubblewrap, which writes to `status`, has made its mounts, for 5 seconds at most, and
// looks at them from outside. Nothing may hold the write end of `status` here.
//   kAborted           a mount is not as expected
//   kDeadlineExceeded  they were not made in this time
//   kUnavailable       they cannot be looked at; says why
absl::StatusOr<MountsState> AwaitMounts(StatusPipe& status, const ExpectedMounts& expected);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_MOUNT_CHECK_H_
