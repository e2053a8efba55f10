#include "workspace/shell/shell_command.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "workspace/fs/file_entry.h"
#include "workspace/fs/file_version.h"

namespace cursorwire::workspace {
namespace {

// The command gets none of our arguments: it starts after `set --`. The file may be gone by the
// end, if nobody needs the last folder any more.
std::vector<std::string> ShellArguments(const ShellCommand& command) {
  if (command.last_folder_file.empty()) return {"sh", "-c", "--", command.text};
  std::string script =
      absl::StrCat("trap '[ ! -f ", command.last_folder_file, " ] || pwd -P 2>/dev/null >|",
                   command.last_folder_file, "' EXIT\neval \"set --;$1\"");
  return {"sh", "-c", "--", std::move(script), "sh", command.text};
}

}  // namespace

process::Program ShellProgram(const ShellCommand& command) {
  return {.file = "/bin/sh",
          .arguments = ShellArguments(command),
          .environment = command.environment,
          .folder = command.folder.fd()};
}

absl::StatusOr<ShellCommand> PrepareCommand(const Workspace& workspace,
                                            const std::vector<std::string>& environment,
                                            std::string_view text,
                                            std::string_view working_directory) {
  using enum absl::StatusCode;
  if (!IsText(text)) {
    return LocalError(kInvalidArgument, "the command has a zero byte, or is no UTF-8");
  }
  const absl::StatusOr<std::string> place = workspace.Locate(working_directory);
  if (!place.ok()) return Annotate(place.status(), "working directory");
  absl::StatusOr<OpenFile> folder = workspace.OpenFolder(*place);
  if (!folder.ok()) return Annotate(folder.status(), "working directory");
  absl::StatusOr<std::string> path = PathOf(*folder);
  if (!path.ok()) return path.status();
  if (!IsUtf8(*path)) {
    return LocalError(kInvalidArgument, "the path of the working directory is no UTF-8");
  }
  ShellCommand command{.text = std::string(text),
                       .folder = *std::move(folder),
                       .folder_path = *std::move(path),
                       .environment = environment};
  command.environment.push_back(absl::StrCat("PWD=", command.folder_path));
  return command;
}

}  // namespace cursorwire::workspace
