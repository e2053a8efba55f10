#ifndef CURSORWIRE_SRC_SANDBOX_PLAN_H_
#define CURSORWIRE_SRC_SANDBOX_PLAN_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "cursorwire/sandbox.h"
#include "sandbox/expected_mounts.h"
#include "sandbox/places.h"
#include "sandbox/support.h"

namespace cursorwire::sandbox {

// What Landlock grants below a path.
struct LandlockGrant {
  std::string path{};
  bool write = false;  // else read and execute
};

// How a command is started. A value, made without looking at the machine.
struct Plan {
  Backend backend = Backend::kNone;
  // kFull: arguments of bwrap in their order, without descriptors and the command.
  std::vector<std::string> bwrap_arguments{};
  std::vector<LandlockGrant> grants{};  // kPartial
  ExpectedMounts mounts{};              // kFull: to be looked at before the command runs
  // Variables that the command gets in place of those of the same name, "NAME=value".
  std::vector<std::string> environment{};
  // Names of variables that it does not get.
  std::vector<std::string> removed_variables{};
};

// The order of mounts is that of docs/sandbox.md: what is hidden everywhere and /tmp, the workspace
// and what else may be changed, then what is protected or hidden within them.
//   kUnimplemented  `support` cannot do it: kNone; kPartial and something is to be hidden or
//                   protected within what may be changed while `allow_partial` is not set. Says why
absl::StatusOr<Plan> MakePlan(const SandboxPolicy& policy, const Places& places,
                              const Support& support, bool allow_partial);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_PLAN_H_
