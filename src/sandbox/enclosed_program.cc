#include "sandbox/enclosed_program.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "sandbox/git_places.h"
#include "sandbox/support.h"

namespace cursorwire::sandbox {
absl::StatusOr<std::unique_ptr<process::ChildProcess>> StartEnclosed(
    const EnclosedProgram& enclosed, process::ChildInput input, process::RunningCommands& running) {
  absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
      process::ChildProcess::Start(enclosed.command->program(), input, running);
  if (!child.ok()) return child;
  if (absl::Status admitted = enclosed.command->Admit(); !admitted.ok()) return admitted;
  return child;
}

absl::StatusOr<EnclosedProgram> Enclose(process::Program program, const std::string& folder,
                                        const SandboxPolicy& policy,
                                        std::vector<std::string> environment) {
  using enum absl::StatusCode;
  const Support& support = OwnSupport();
  if (support.backend != Backend::kFull) {
    return LocalError(
        kFailedPrecondition,
        absl::StrCat("it must run in a sandbox, and there is none: ", ToAbsl(support.why_not)));
  }
  std::string real = ResolvedPath(folder);
  if (real.empty()) return LocalError(kNotFound, "the folder where it is to start is not there");
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = Sandbox::Create(
      {.workspace = std::move(real), .support = support, .environment = std::move(environment)});
  if (!sandbox.ok()) return sandbox.status();
  absl::StatusOr<std::unique_ptr<SandboxedCommand>> command =
      (*sandbox)->Prepare(policy, std::move(program));
  if (!command.ok()) return command.status();
  return EnclosedProgram{.sandbox = *std::move(sandbox), .command = *std::move(command)};
}

}  // namespace cursorwire::sandbox
