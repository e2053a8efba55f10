#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_LIST_TREE_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_LIST_TREE_H_

#include <absl/status/statusor.h>

#include "cursorwire/exec.h"
#include "cursorwire/workspace.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// Implements LocalExecHandler::Ls().
absl::StatusOr<LsOutput> ListTree(const Workspace& workspace, const LocalExecOptions& options,
                                  const LsArgs& args, const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_LIST_TREE_H_
