#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_READ_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_READ_H_

#include <absl/status/statusor.h>

#include "cursorwire/exec.h"
#include "workspace/edit/edit_host.h"
#include "workspace/shell/output_folder.h"

namespace cursorwire::workspace {

// Implements LocalExecHandler::Read().
absl::StatusOr<ReadOutput> ReadFile(const EditHost& host, const OutputFolder& outputs,
                                    const ReadArgs& args, const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_READ_H_
