#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "cursorwire/exec.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/workspace.h"
#include "process/running_commands.h"
#include "workspace/fs/workspace.h"
#include "workspace/shell/background_shells.h"
#include "workspace/shell/output_folder.h"
#include "workspace/shell/shell_sandbox.h"

namespace cursorwire::workspace {

// Shared by all commands of one handler.
struct ShellHost {
  const Workspace& workspace;
  const LocalExecOptions& options;
  const std::vector<std::string>& environment;  // the part of our environment that commands get
  process::RunningCommands& running;
  OutputFolder& outputs;
  ShellSandbox& sandbox;
  BackgroundShells& background;
};

// Implements LocalExecHandler::ShellStream().
absl::StatusOr<ShellOutput> StreamShell(const ShellHost& host, const ShellArgs& args,
                                        ShellSink& sink, const ActionContext& context);

// Implements LocalExecHandler::Shell().
absl::StatusOr<ShellOutput> RunShell(const ShellHost& host, const ShellArgs& args,
                                     const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_H_
