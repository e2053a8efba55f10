#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_DELETE_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_DELETE_H_

#include <absl/status/statusor.h>

#include "cursorwire/action_context.h"
#include "cursorwire/exec.h"
#include "cursorwire/local_exec_options.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// Implements LocalExecHandler::Delete().
absl::StatusOr<DeleteOutput> DeleteFile(const Workspace& workspace, const LocalExecOptions& options,
                                        const DeleteArgs& args, const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_DELETE_H_
