#include "cursorwire/workspace.h"

#include <absl/strings/str_replace.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "process/running_commands.h"
#include "sandbox/policy.h"
#include "sandbox/support.h"
#include "workspace/edit/edit_host.h"
#include "workspace/edit/file_delete.h"
#include "workspace/edit/file_read.h"
#include "workspace/edit/file_state.h"
#include "workspace/edit/file_write.h"
#include "workspace/edit/known_files.h"
#include "workspace/fs/file_entry.h"
#include "workspace/fs/file_version.h"
#include "workspace/fs/text_encoding.h"
#include "workspace/fs/workspace.h"
#include "workspace/search/grep.h"
#include "workspace/search/list_tree.h"
#include "workspace/shell/background_shells.h"
#include "workspace/shell/output_folder.h"
#include "workspace/shell/shell.h"
#include "workspace/shell/shell_environment.h"
#include "workspace/shell/shell_sandbox.h"

namespace cursorwire {

namespace {

std::vector<std::string> EnvironmentOf(const LocalExecOptions& options) {
  std::vector<std::string> environment = workspace::OwnShellEnvironment(options.variables);
  if (options.shell.empty()) return environment;
  std::erase_if(environment, [](const std::string& each) { return each.starts_with("SHELL="); });
  environment.push_back("SHELL=" + options.shell);
  return environment;
}

// The text without what encodings, editors and their ends of lines add to it.
std::string Bare(std::string text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
  absl::StrReplaceAll({{"\r\n", "\n"}}, &text);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// Whether the bytes of a file are that text, in whichever encoding.
bool HoldsText(const std::string& bytes, const std::string& text) {
  return Bare(workspace::Utf16ToUtf8(bytes).value_or(bytes)) == Bare(text);
}

}  // namespace

std::string DescribeSandbox(const SandboxPolicy& policy) { return sandbox::Describe(policy); }

class LocalExecHandler::Impl {
 public:
  Impl(workspace::Workspace folder, LocalExecOptions bounds)
      : workspace(std::move(folder)), options(std::move(bounds)) {}

  // What is there now; what cannot be looked at is as if it were not there.
  workspace::FileVersion Look(const std::string& path) const {
    const auto entry = workspace::FindEntry(workspace, path, workspace::LastLink::kFollow);
    if (!entry.ok() || !entry->missing.empty()) return {};
    return workspace::LookAt(entry->folder, entry->name, options.max_write_bytes)
        .value_or(workspace::FileVersion());
  }

  const workspace::Workspace workspace;
  const LocalExecOptions options;
  // Read once, at a time when no other thread should change the environment.
  const std::vector<std::string> environment = EnvironmentOf(options);
  workspace::KnownFiles known;
  const workspace::EditHost edit_host{workspace, options, options.policy, known};
  process::RunningCommands running;
  workspace::OutputFolder outputs{workspace::OutputFolder::DefaultParent()};
  workspace::ShellSandbox sandbox{workspace, options, outputs, workspace::WholeEnvironment()};
  workspace::BackgroundShells background_shells{running, outputs, sandbox};
  const workspace::ShellHost shell_host{workspace, options, environment,      running,
                                        outputs,   sandbox, background_shells};
};

absl::StatusOr<std::unique_ptr<LocalExecHandler>> LocalExecHandler::Create(
    const std::string& folder, LocalExecOptions options) {
  for (const std::string& variable : options.variables) {
    if (absl::Status status = CheckVariable(variable); !status.ok()) return status;
  }
  absl::StatusOr<workspace::Workspace> workspace = workspace::Workspace::Open(folder);
  if (!workspace.ok()) return Annotate(workspace.status(), ToUtf8(folder));
  return std::unique_ptr<LocalExecHandler>(
      new LocalExecHandler(std::make_unique<Impl>(*std::move(workspace), std::move(options)), ""));
}

const std::vector<std::string>& LocalExecHandler::CommandVariables() {
  return workspace::CommandVariables();
}

absl::Status LocalExecHandler::CheckVariable(std::string_view variable) {
  return workspace::CheckVariable(variable);
}

std::unique_ptr<LocalExecHandler> LocalExecHandler::CreateWithoutFolder(std::string message) {
  return std::unique_ptr<LocalExecHandler>(new LocalExecHandler(nullptr, std::move(message)));
}

LocalExecHandler::LocalExecHandler(std::unique_ptr<Impl> impl, std::string refusal)
    : impl_(std::move(impl)), refusal_(std::move(refusal)) {}
LocalExecHandler::LocalExecHandler(LocalExecHandler&& other) noexcept = default;
LocalExecHandler::~LocalExecHandler() = default;

absl::Status LocalExecHandler::NoFolder() const {
  return LocalError(absl::StatusCode::kPermissionDenied, refusal_);
}

const std::string& LocalExecHandler::folder() const {
  static const std::string none;
  return impl_ == nullptr ? none : impl_->workspace.folder();
}

absl::StatusOr<std::string> LocalExecHandler::RealPath(std::string_view path) const {
  if (impl_ == nullptr) return NoFolder();
  absl::StatusOr<workspace::FileEntry> entry =
      workspace::FindEntry(impl_->workspace, path, workspace::LastLink::kFollow);
  if (!entry.ok()) return entry.status();
  return std::move(entry->path);
}

std::string LocalExecHandler::terminals_folder() const {
  return impl_ == nullptr ? "" : impl_->outputs.path();
}

void LocalExecHandler::Describe(Environment& environment) const {
  if (impl_ == nullptr) return;
  environment.workspace = folder();
  environment.shell = workspace::ShellOf(impl_->environment);
  if (impl_->options.policy != nullptr) environment.terminals_folder = terminals_folder();
  if (impl_->options.sandbox.mode == SandboxMode::kOff) return;
  environment.sandbox_enabled = commands_are_sandboxed();
  environment.sandbox_supported = FindSandbox().full;
}

SandboxSupport LocalExecHandler::FindSandbox() {
  const sandbox::Support& support = sandbox::OwnSupport();
  return {.full = support.backend == sandbox::Backend::kFull,
          .partial = support.backend != sandbox::Backend::kNone,
          .why_not = support.why_not};
}

bool LocalExecHandler::commands_are_sandboxed() const {
  return impl_ != nullptr && impl_->sandbox.in_use();
}

void LocalExecHandler::OnAttached(const AttachedFile& file) {
  const absl::StatusOr<std::string> path = RealPath(file.path);
  if (!path.ok()) return;
  const workspace::FileVersion now = impl_->Look(*path);
  impl_->known.Tell(*path, now.content && HoldsText(*now.content, file.content)
                               ? workspace::StateOf(now)
                               : workspace::StateOfContent(file.content));
}

void LocalExecHandler::TellDisk(const std::string& real_path) {
  if (impl_ != nullptr) impl_->known.Tell(real_path, workspace::StateOf(impl_->Look(real_path)));
}

void LocalExecHandler::KillCommands() {
  if (impl_ == nullptr) return;
  impl_->running.KillAll();
  impl_->outputs.Remove();
}

absl::StatusOr<ReadOutput> LocalExecHandler::Read(const ReadArgs& args,
                                                  const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return workspace::ReadFile(impl_->edit_host, impl_->outputs, args, context);
}

absl::StatusOr<LsOutput> LocalExecHandler::Ls(const LsArgs& args, const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return workspace::ListTree(impl_->workspace, impl_->options, args, context);
}

absl::StatusOr<GrepOutput> LocalExecHandler::Grep(const GrepArgs& args,
                                                  const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return workspace::SearchFiles(impl_->workspace, impl_->options, args, context);
}

absl::StatusOr<WriteOutput> LocalExecHandler::Write(const WriteArgs& args,
                                                    const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return workspace::WriteFile(impl_->edit_host, args, context);
}

absl::StatusOr<WriteOutput> LocalExecHandler::WriteWith(const ActionPolicy& policy,
                                                        const WriteArgs& args,
                                                        const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  const workspace::EditHost host{impl_->workspace, impl_->options, policy, impl_->known};
  return workspace::WriteFile(host, args, context);
}

void LocalExecHandler::TellText(const std::string& real_path, std::string_view text) {
  if (impl_ != nullptr) impl_->known.TellText(real_path, text);
}

absl::Status LocalExecHandler::CheckText(const std::string& real_path,
                                         std::string_view text) const {
  return impl_ == nullptr ? NoFolder() : impl_->known.CheckText(real_path, text);
}

absl::StatusOr<DeleteOutput> LocalExecHandler::Delete(const DeleteArgs& args,
                                                      const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return workspace::DeleteFile(impl_->edit_host, args, context);
}

absl::StatusOr<ShellOutput> LocalExecHandler::Shell(const ShellArgs& args,
                                                    const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return workspace::RunShell(impl_->shell_host, args, context);
}

absl::StatusOr<ShellOutput> LocalExecHandler::ShellStream(const ShellArgs& args, ShellSink& sink,
                                                          const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return workspace::StreamShell(impl_->shell_host, args, sink, context);
}

absl::StatusOr<BackgroundShellOutput> LocalExecHandler::BackgroundShell(
    const BackgroundShellArgs& args, const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return impl_->background_shells.Start(impl_->workspace, impl_->options, impl_->environment, args,
                                        context);
}

absl::StatusOr<WriteShellStdinOutput> LocalExecHandler::WriteShellStdin(
    const WriteShellStdinArgs& args, const ActionContext& context) {
  if (impl_ == nullptr) return NoFolder();
  return impl_->background_shells.Write(impl_->options, args, context);
}

}  // namespace cursorwire
