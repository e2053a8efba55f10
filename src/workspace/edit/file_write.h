#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_WRITE_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_WRITE_H_

#include <absl/status/statusor.h>

#include "cursorwire/exec.h"
#include "workspace/edit/edit_host.h"

namespace cursorwire::workspace {

// Implements LocalExecHandler::Write().
absl::StatusOr<WriteOutput> WriteFile(const EditHost& host, const WriteArgs& args,
                                      const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_WRITE_H_
