#include "workspace/shell/shell_sandbox.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "sandbox/policy.h"
#include "workspace/search/cursor_ignored.h"

namespace cursorwire::workspace {
namespace {

using absl::StatusCode;

bool IsAtOrBelowFolder(std::string_view path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

// What the service wishes, in words of ours: its schema has no permission for `.git`, so a path
// asks for it, and paths in the workspace ask for nothing. A workspace or /tmp that may be changed
// is what the service wishes usually, and no more than the user gives. What the schema cannot wish
// is as the user has it.
SandboxPolicy WishOf(const RequestedSandbox& wish, const SandboxPolicy& user,
                     const Workspace& workspace) {
  SandboxPolicy policy = wish.policy;
  if (user.workspace == WorkspaceAccess::kRead) policy.workspace = WorkspaceAccess::kRead;
  policy.tmp_write = policy.tmp_write && user.tmp_write;
  policy.git_write = user.git_write;
  policy.writable = user.writable;
  policy.hidden = user.hidden;
  for (const std::string& path : wish.policy.writable) {
    const absl::StatusOr<std::string> place = workspace.Locate(path);
    if (!place.ok()) {
      if (std::find(user.writable.begin(), user.writable.end(), path) == user.writable.end()) {
        policy.writable.push_back(path);
      }
    } else if (IsAtOrBelowFolder(*place, ".git")) {
      policy.git_write = true;
    }
  }
  return policy;
}

// What both have, and what the user is asked to give.
SandboxPolicy Widen(const SandboxPolicy& user, const SandboxPolicy& wish) {
  SandboxPolicy policy = sandbox::Narrow(user, wish);
  policy.network = wish.network;
  policy.git_write = wish.git_write;
  policy.writable = wish.writable;
  return policy;
}

absl::Status NotGiven(const std::vector<std::string>& permissions) {
  return LocalError(StatusCode::kPermissionDenied,
                    absl::StrCat("the user does not give commands the permission ",
                                 permissions.front(), "; say which command is to be run with it"));
}

// What was possible is so for a while: a look at a large folder takes time, and Prepare() looks
// again.
constexpr std::chrono::seconds kCheckedFor{60};

bool MayBeWithout(SandboxMode mode) {
  return mode == SandboxMode::kAuto || mode == SandboxMode::kPartial;
}

}  // namespace

bool ShellSandbox::CanRun() const {
  switch (support().backend) {
    case sandbox::Backend::kFull:
      return true;
    case sandbox::Backend::kPartial:
      return options_.sandbox.mode == SandboxMode::kPartial;
    case sandbox::Backend::kNone:
      break;
  }
  return false;
}

bool ShellSandbox::in_use() const { return options_.sandbox.mode != SandboxMode::kOff && CanRun(); }

absl::StatusOr<sandbox::Sandbox*> ShellSandbox::Get() {
  const std::lock_guard lock(mutex_);
  if (sandbox_ == nullptr) {
    absl::StatusOr<std::unique_ptr<sandbox::Sandbox>> made =
        sandbox::Sandbox::Create({.workspace = workspace_.folder(),
                                  .support = support(),
                                  .allow_partial = options_.sandbox.mode == SandboxMode::kPartial,
                                  .environment = environment_,
                                  .code_files = options_.code_files});
    if (!made.ok()) return made.status();
    sandbox_ = *std::move(made);
  }
  return sandbox_.get();
}

absl::StatusOr<SandboxPolicy> ShellSandbox::WithIgnoredFiles(SandboxPolicy policy) const {
  absl::StatusOr<std::vector<std::string>> ignored = FindCursorIgnored(workspace_);
  if (!ignored.ok()) return ignored.status();
  policy.hidden.insert(policy.hidden.end(), ignored->begin(), ignored->end());
  return policy;
}

absl::Status ShellSandbox::Check(const SandboxPolicy& policy) {
  if (!CanRun()) {
    return LocalError(StatusCode::kFailedPrecondition, support().why_not);
  }
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (checked_ == policy && now < checked_until_) return absl::OkStatus();
  }
  const absl::StatusOr<SandboxPolicy> whole = WithIgnoredFiles(policy);
  if (!whole.ok()) return whole.status();
  const absl::StatusOr<sandbox::Sandbox*> sandbox = Get();
  if (!sandbox.ok()) return sandbox.status();
  if (absl::Status status = (*sandbox)->Check(*whole); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  checked_ = policy;
  checked_until_ = now + kCheckedFor;
  return absl::OkStatus();
}

absl::StatusOr<SandboxChoice> ShellSandbox::ChoosePolicy(const RequestedSandbox& wish) const {
  const SandboxSettings& settings = options_.sandbox;
  if (wish.none) {
    const bool ask = settings.ask_for_more && MayBeWithout(settings.mode);
    if (ask) return SandboxChoice{.permissions = {"all"}};
    return SandboxChoice{.policy = settings.policy};
  }
  const SandboxPolicy wanted = WishOf(wish, settings.policy, workspace_);
  const std::vector<std::string> more = sandbox::WidensBeyond(settings.policy, wanted);
  if (settings.ask_for_more && !more.empty()) {
    return SandboxChoice{.policy = Widen(settings.policy, wanted), .permissions = more};
  }
  if (std::find(more.begin(), more.end(), "git_write") != more.end())
    return NotGiven({"git_write"});
  return SandboxChoice{.policy = sandbox::Narrow(settings.policy, wanted)};
}

absl::StatusOr<SandboxChoice> ShellSandbox::Choose(const std::optional<RequestedSandbox>& wish) {
  const SandboxSettings& settings = options_.sandbox;
  if (settings.mode == SandboxMode::kOff) return SandboxChoice{};
  absl::StatusOr<SandboxChoice> choice =
      wish ? ChoosePolicy(*wish) : SandboxChoice{.policy = settings.policy};
  if (!choice.ok() || !choice->policy) return choice;
  const absl::Status can = Check(*choice->policy);
  if (can.ok()) return choice;
  if (absl::IsInvalidArgument(can)) return can;  // what was wished makes no sense
  std::string why = absl::StrCat("no sandbox for this command: ", can.message());
  if (!MayBeWithout(settings.mode)) return LocalError(StatusCode::kFailedPrecondition, why);
  return SandboxChoice{.why_none = std::move(why)};
}

absl::StatusOr<std::unique_ptr<sandbox::SandboxedCommand>> ShellSandbox::Prepare(
    const SandboxPolicy& policy, process::Program program, const std::string& last_folder_file) {
  absl::StatusOr<SandboxPolicy> whole = WithIgnoredFiles(policy);
  if (!whole.ok()) return whole.status();
  const absl::StatusOr<sandbox::Sandbox*> sandbox = Get();
  if (!sandbox.ok()) return sandbox.status();
  if (!last_folder_file.empty()) whole->writable.push_back(last_folder_file);
  std::vector<std::string> readable;
  if (const std::string outputs = outputs_.path(); !outputs.empty()) readable.push_back(outputs);
  return (*sandbox)->Prepare(*whole, std::move(program), readable);
}

}  // namespace cursorwire::workspace
