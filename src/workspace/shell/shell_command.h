#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_COMMAND_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_COMMAND_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/sandbox.h"
#include "process/child_process.h"
#include "workspace/fs/open_file.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {

// A command line of the agent, and the folder in which to run it.
struct ShellCommand {
  std::string text{};
  OpenFile folder{};
  std::string folder_path{};  // absolute, without symbolic links
  std::vector<std::string> environment{};
  std::optional<SandboxPolicy> sandbox{};  // nullopt: as the user
  // The file to which the shell writes its last folder; empty: it does not. The name needs no
  // quotes.
  std::string last_folder_file{};
};

// Checks the command and opens its folder, which is below the workspace; an empty path means the
// workspace itself. Adds PWD to the environment.
//   kInvalidArgument  has a zero byte or is not UTF-8, so what is shown would not be what runs
//   others            as of Workspace::OpenFolder()
absl::StatusOr<ShellCommand> PrepareCommand(const Workspace& workspace,
                                            const std::vector<std::string>& environment,
                                            std::string_view text,
                                            std::string_view working_directory);

// ShellOf() with that command, which must outlive the start.
process::Program ShellProgram(const ShellCommand& command);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_COMMAND_H_
