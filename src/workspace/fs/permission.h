#ifndef CURSORWIRE_SRC_WORKSPACE_FS_PERMISSION_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_PERMISSION_H_

#include <absl/status/status.h>

#include <stop_token>

#include "cursorwire/workspace.h"

namespace cursorwire::workspace {

// Asks the policy about one action. OK: do it now, and only once.
//   kPermissionDenied  the policy refused, with whatever code, threw, or is empty
//   kCancelled         stopped while the policy was asked
absl::Status AskPolicy(const ActionPolicy& policy, const LocalAction& action,
                       const ActionContext& context);

// The same for a look, except that an empty policy allows it.
absl::Status AskPolicy(const LookPolicy& policy, const LookAction& look,
                       const ActionContext& context);

// kCancelled if a stop was requested.
absl::Status CheckStop(const std::stop_token& stop);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_PERMISSION_H_
