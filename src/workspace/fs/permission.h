#ifndef CURSORWIRE_SRC_WORKSPACE_FS_PERMISSION_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_PERMISSION_H_

#include <absl/status/status.h>

#include <stop_token>

#include "cursorwire/action_policy.h"

namespace cursorwire::workspace {

// Asks the policy for one action. OK: do it now, and once.
//   kPermissionDenied  the policy refused, with whatever code, threw, or is empty
//   kCancelled         stopped meanwhile
absl::Status AskPolicy(const ActionPolicy& policy, const LocalAction& action, std::stop_token stop);

// kCancelled, if that is requested.
absl::Status CheckStop(const std::stop_token& stop);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_PERMISSION_H_
