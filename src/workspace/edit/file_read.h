#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_READ_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_READ_H_

#include <absl/status/statusor.h>

#include "cursorwire/action_context.h"
#include "cursorwire/exec.h"
#include "cursorwire/local_exec_options.h"
#include "workspace/fs/workspace.h"
#include "workspace/shell/output_folder.h"

namespace cursorwire::workspace {

// Implements LocalExecHandler::Read().
absl::StatusOr<ReadOutput> ReadFile(const Workspace& workspace, const OutputFolder& outputs,
                                    const LocalExecOptions& options, const ReadArgs& args,
                                    const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_READ_H_
