#include "workspace/shell/shell_command.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "workspace/fs/file_entry.h"
#include "workspace/fs/file_version.h"
#include "workspace/shell/shell_environment.h"

namespace cursorwire::workspace {
namespace {

// The command gets none of our arguments: it starts after `set --`. The file may be gone by the
// end, if nobody needs the last folder any more.
std::vector<std::string> ShellArguments(const ShellCommand& command, const std::string& name) {
  std::vector<std::string> arguments = {name};
  if (name == "zsh") arguments.emplace_back("-f");  // else it reads files of the user first
  arguments.insert(arguments.end(), {"-c", "--"});
  if (command.last_folder_file.empty()) {
    arguments.push_back(command.text);
    return arguments;
  }
  std::string script =
      absl::StrCat("trap '[ ! -f ", command.last_folder_file, " ] || pwd -P 2>/dev/null >|",
                   command.last_folder_file, "' EXIT\neval \"set --;$1\"");
  arguments.insert(arguments.end(), {std::move(script), name, command.text});
  return arguments;
}

}  // namespace

process::Program ShellProgram(const ShellCommand& command) {
  std::string shell = ShellOf(command.environment);
  const std::string name = shell.substr(shell.rfind('/') + 1);
  return {.file = std::move(shell),
          .arguments = ShellArguments(command, name),
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
