#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_H_

#include <absl/status/statusor.h>

#include <stop_token>
#include <string>
#include <vector>

#include "cursorwire/exec.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/local_exec_handler.h"
#include "workspace/running_commands.h"
#include "workspace/workspace.h"

namespace cursorwire::workspace {

// LocalExecHandler::ShellStream(). `environment` is what the command gets of ours.
absl::StatusOr<ShellOutput> StreamShell(const Workspace& workspace, const LocalExecOptions& options,
                                        const std::vector<std::string>& environment,
                                        RunningCommands& running, const ShellArgs& args,
                                        ShellSink& sink, std::stop_token stop);

// LocalExecHandler::Shell().
absl::StatusOr<ShellOutput> RunShell(const Workspace& workspace, const LocalExecOptions& options,
                                     const std::vector<std::string>& environment,
                                     RunningCommands& running, const ShellArgs& args,
                                     std::stop_token stop);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_H_
