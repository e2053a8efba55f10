#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_EDIT_HOST_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_EDIT_HOST_H_

#include "cursorwire/workspace.h"
#include "workspace/edit/known_files.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// What the reads and changes of one handler share.
struct EditHost {
  const Workspace& workspace;
  const LocalExecOptions& options;
  const ActionPolicy& policy;  // decides in place of LocalExecOptions::policy
  KnownFiles& known;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_EDIT_HOST_H_
