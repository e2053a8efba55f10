#ifndef CURSORWIRE_SRC_WORKSPACE_FS_ALLOW_LOOK_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_ALLOW_LOOK_H_

#include <absl/status/statusor.h>

#include <functional>
#include <string>

#include "cursorwire/workspace.h"
#include "workspace/fs/open_file.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// A file or folder that may be looked at. With a policy, `place` has no links, and `workspace`
// follows none: what is read is what was decided on, or an error.
struct Look {
  Workspace workspace;
  std::string place{};
};

// Makes the action that the policy is asked about.
using MakeLook = std::function<LookAction(std::string path)>;

// Asks the policy about the place that `place` leads to.
//   kPermissionDenied  refused, as AskPolicy() says
//   kAborted           it was moved out of the folder meanwhile
//   kInvalidArgument   its path is not UTF-8, so that nobody could be asked about it
// Without a policy everything is allowed, and nothing is opened.
absl::StatusOr<Look> AllowLook(const Workspace& workspace, const LookPolicy& policy,
                               const std::string& place, const MakeLook& make,
                               const ActionContext& context);

// The same for a file that is open.
absl::Status AllowReading(const LookPolicy& policy, const OpenFile& file,
                          const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_ALLOW_LOOK_H_
