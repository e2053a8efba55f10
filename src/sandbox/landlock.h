#ifndef CURSORWIRE_SRC_SANDBOX_LANDLOCK_H_
#define CURSORWIRE_SRC_SANDBOX_LANDLOCK_H_

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "sandbox/plan.h"

namespace cursorwire::sandbox {

// The version of the kernel's Landlock, from 1; 0: it has none, or it is switched off.
int LandlockAbi();

struct LandlockOptions {
  int abi = 0;                          // LandlockAbi(), or less: what came later is left out
  std::vector<LandlockGrant> grants{};  // a path that does not exist is passed by
  bool network = false;                 // TCP, from ABI 4 on; the filter has the rest
  std::string filter{};                 // of MakeFilter()
};

// Takes from the calling thread, for good, all that is not granted, and its capabilities; what it
// starts afterwards inherits that. Give it a thread of its own. Devices that programs need, such as
// /dev/null, are granted as well. After an error the thread may be restricted in part: let it end.
//   kUnavailable  the kernel refused; says what
absl::Status RestrictThread(const LandlockOptions& options);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_LANDLOCK_H_
