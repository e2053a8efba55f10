#include "cursorwire/local_exec_handler.h"

#include <stop_token>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "workspace/file_read.h"
#include "workspace/folder_tree.h"
#include "workspace/grep.h"
#include "workspace/workspace.h"

namespace cursorwire {

class LocalExecHandler::Impl {
 public:
  Impl(workspace::Workspace folder, const LocalExecOptions& bounds)
      : workspace(std::move(folder)), options(bounds) {}

  const workspace::Workspace workspace;
  const LocalExecOptions options;
};

absl::StatusOr<std::unique_ptr<LocalExecHandler>> LocalExecHandler::Create(
    const std::string& folder, LocalExecOptions options) {
  absl::StatusOr<workspace::Workspace> workspace = workspace::Workspace::Open(folder);
  if (!workspace.ok()) return Annotate(workspace.status(), ToUtf8(folder));
  return std::unique_ptr<LocalExecHandler>(
      new LocalExecHandler(std::make_unique<Impl>(*std::move(workspace), options)));
}

LocalExecHandler::LocalExecHandler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LocalExecHandler::~LocalExecHandler() = default;

const std::string& LocalExecHandler::folder() const { return impl_->workspace.folder(); }

absl::StatusOr<ReadOutput> LocalExecHandler::Read(const ReadArgs& args, std::stop_token stop) {
  return workspace::ReadFile(impl_->workspace, impl_->options, args, std::move(stop));
}

absl::StatusOr<LsOutput> LocalExecHandler::Ls(const LsArgs& args, std::stop_token stop) {
  return workspace::ListTree(impl_->workspace, impl_->options, args, std::move(stop));
}

absl::StatusOr<GrepOutput> LocalExecHandler::Grep(const GrepArgs& args, std::stop_token stop) {
  return workspace::SearchFiles(impl_->workspace, impl_->options, args, std::move(stop));
}

}  // namespace cursorwire
