#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_DELETE_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_DELETE_H_

#include <absl/status/statusor.h>

#include "cursorwire/exec.h"
#include "workspace/edit/edit_host.h"

namespace cursorwire::workspace {

// Implements LocalExecHandler::Delete().
absl::StatusOr<DeleteOutput> DeleteFile(const EditHost& host, const DeleteArgs& args,
                                        const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_FILE_DELETE_H_
