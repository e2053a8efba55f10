#include "cursorwire/exec_handler.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <exception>
#include <variant>

#include "agent/exec/exec.h"
#include "base/error.h"

namespace cursorwire {
namespace {

using agent::Refusal;

// One overload for each kind, from which std::visit picks.
class ExecCall {
 public:
  ExecCall(ExecHandler& handler, const ActionContext& context, ShellSink* sink)
      : handler_(handler), context_(context), sink_(sink) {}

  using Result = absl::StatusOr<ExecOutput>;
  Result operator()(const ReadArgs& args) { return handler_.Read(args, context_); }
  Result operator()(const LsArgs& args) { return handler_.Ls(args, context_); }
  Result operator()(const GrepArgs& args) { return handler_.Grep(args, context_); }
  Result operator()(const WriteArgs& args) { return handler_.Write(args, context_); }
  Result operator()(const DeleteArgs& args) { return handler_.Delete(args, context_); }
  Result operator()(const ShellArgs& args) {
    if (args.streamed && sink_ != nullptr) return handler_.ShellStream(args, *sink_, context_);
    return handler_.Shell(args, context_);
  }
  Result operator()(const BackgroundShellArgs& args) {
    return handler_.BackgroundShell(args, context_);
  }
  Result operator()(const WriteShellStdinArgs& args) {
    return handler_.WriteShellStdin(args, context_);
  }
  Result operator()(const FetchArgs& args) { return handler_.Fetch(args, context_); }
  Result operator()(const DiagnosticsArgs& args) { return handler_.Diagnostics(args, context_); }
  Result operator()(const ListMcpResourcesArgs& args) {
    return handler_.ListMcpResources(args, context_);
  }
  Result operator()(const ReadMcpResourceArgs& args) {
    return handler_.ReadMcpResource(args, context_);
  }
  Result operator()(const ToolCall&) {
    return LocalError(absl::StatusCode::kUnimplemented, "a handler of execs has no tools");
  }

 private:
  ExecHandler& handler_;
  const ActionContext& context_;
  ShellSink* const sink_;
};

}  // namespace

absl::StatusOr<ExecOutput> CallExecHandler(ExecHandler& handler, const ExecArgs& args,
                                           const ActionContext& context, ShellSink* sink) {
  try {
    return std::visit(ExecCall(handler, context, sink), args);
  } catch (const std::exception& exception) {
    return LocalError(absl::StatusCode::kUnknown,
                      absl::StrCat("the handler threw: ", exception.what()));
  } catch (...) {
    return LocalError(absl::StatusCode::kUnknown, "the handler threw: not a std::exception");
  }
}

void ShellSink::Started(const std::optional<SandboxPolicy>& /*sandbox*/) {}

void ExecHandler::Describe(Environment&) const {}

void ExecHandler::OnAttached(const AttachedFile&) {}

absl::StatusOr<ReadOutput> ExecHandler::Read(const ReadArgs& /*args*/,
                                             const ActionContext& /*context*/) {
  return Refusal("reading files");
}

absl::StatusOr<LsOutput> ExecHandler::Ls(const LsArgs& /*args*/, const ActionContext& /*context*/) {
  return Refusal("listing folders");
}

absl::StatusOr<GrepOutput> ExecHandler::Grep(const GrepArgs& /*args*/,
                                             const ActionContext& /*context*/) {
  return Refusal("searching files");
}

absl::StatusOr<WriteOutput> ExecHandler::Write(const WriteArgs& /*args*/,
                                               const ActionContext& /*context*/) {
  return Refusal("writing files");
}

absl::StatusOr<DeleteOutput> ExecHandler::Delete(const DeleteArgs& /*args*/,
                                                 const ActionContext& /*context*/) {
  return Refusal("deleting files");
}

absl::StatusOr<ShellOutput> ExecHandler::Shell(const ShellArgs& /*args*/,
                                               const ActionContext& /*context*/) {
  return Refusal("running shell commands");
}

absl::StatusOr<ShellOutput> ExecHandler::ShellStream(const ShellArgs& args, ShellSink& /*sink*/,
                                                     const ActionContext& context) {
  return Shell(args, context);
}

absl::StatusOr<BackgroundShellOutput> ExecHandler::BackgroundShell(
    const BackgroundShellArgs& /*args*/, const ActionContext& /*context*/) {
  return Refusal("running shell commands in the background");
}

absl::StatusOr<WriteShellStdinOutput> ExecHandler::WriteShellStdin(
    const WriteShellStdinArgs& /*args*/, const ActionContext& /*context*/) {
  return Refusal("writing to a shell");
}

absl::StatusOr<FetchOutput> ExecHandler::Fetch(const FetchArgs& /*args*/,
                                               const ActionContext& /*context*/) {
  return Refusal("fetching web pages");
}

absl::StatusOr<DiagnosticsOutput> ExecHandler::Diagnostics(const DiagnosticsArgs& /*args*/,
                                                           const ActionContext& /*context*/) {
  return Refusal("reading diagnostics of files");
}

absl::StatusOr<ListMcpResourcesOutput> ExecHandler::ListMcpResources(
    const ListMcpResourcesArgs& /*args*/, const ActionContext& /*context*/) {
  return Refusal("listing resources of MCP servers");
}

absl::StatusOr<ReadMcpResourceOutput> ExecHandler::ReadMcpResource(
    const ReadMcpResourceArgs& /*args*/, const ActionContext& /*context*/) {
  return Refusal("reading resources of MCP servers");
}

}  // namespace cursorwire
