#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_GREP_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_GREP_H_

#include <absl/status/statusor.h>

#include "cursorwire/exec.h"
#include "cursorwire/workspace.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// Implements LocalExecHandler::Grep().
absl::StatusOr<GrepOutput> SearchFiles(const Workspace& workspace, const LocalExecOptions& options,
                                       const GrepArgs& args, const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_GREP_H_
