#include "cursorwire/exec_handler.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <exception>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire {
namespace {

// The model reads this as the reason.
absl::Status Refusal(std::string_view action) {
  return LocalError(absl::StatusCode::kPermissionDenied,
                    absl::StrCat("This client does not allow ", ToAbsl(action),
                                 ". Use another tool, or answer without it."));
}

// One overload for each kind, from which std::visit picks.
class ExecCall {
 public:
  ExecCall(ExecHandler& handler, std::stop_token stop, ShellSink* sink)
      : handler_(handler), stop_(std::move(stop)), sink_(sink) {}

  using Result = absl::StatusOr<ExecOutput>;
  Result operator()(const ReadArgs& args) { return handler_.Read(args, stop_); }
  Result operator()(const LsArgs& args) { return handler_.Ls(args, stop_); }
  Result operator()(const GrepArgs& args) { return handler_.Grep(args, stop_); }
  Result operator()(const WriteArgs& args) { return handler_.Write(args, stop_); }
  Result operator()(const DeleteArgs& args) { return handler_.Delete(args, stop_); }
  Result operator()(const ShellArgs& args) {
    if (args.streamed && sink_ != nullptr) return handler_.ShellStream(args, *sink_, stop_);
    return handler_.Shell(args, stop_);
  }
  Result operator()(const BackgroundShellArgs& args) {
    return handler_.BackgroundShell(args, stop_);
  }
  Result operator()(const WriteShellStdinArgs& args) {
    return handler_.WriteShellStdin(args, stop_);
  }
  Result operator()(const FetchArgs& args) { return handler_.Fetch(args, stop_); }
  Result operator()(const DiagnosticsArgs& args) { return handler_.Diagnostics(args, stop_); }
  Result operator()(const ListMcpResourcesArgs& args) {
    return handler_.ListMcpResources(args, stop_);
  }
  Result operator()(const ReadMcpResourceArgs& args) {
    return handler_.ReadMcpResource(args, stop_);
  }
  Result operator()(const RecordScreenArgs& args) { return handler_.RecordScreen(args, stop_); }
  Result operator()(const ComputerUseArgs& args) { return handler_.ComputerUse(args, stop_); }
  Result operator()(const ToolCall&) {
    return LocalError(absl::StatusCode::kUnimplemented, "a handler of execs has no tools");
  }

 private:
  ExecHandler& handler_;
  const std::stop_token stop_;
  ShellSink* const sink_;
};

}  // namespace

absl::StatusOr<ExecOutput> CallExecHandler(ExecHandler& handler, const ExecArgs& args,
                                           std::stop_token stop, ShellSink* sink) {
  try {
    return std::visit(ExecCall(handler, std::move(stop), sink), args);
  } catch (const std::exception& exception) {
    return LocalError(absl::StatusCode::kUnknown,
                      absl::StrCat("the handler threw: ", exception.what()));
  } catch (...) {
    return LocalError(absl::StatusCode::kUnknown, "the handler threw: not a std::exception");
  }
}

void ExecHandler::Describe(Environment&) const {}

absl::StatusOr<ReadOutput> ExecHandler::Read(const ReadArgs& /*args*/, std::stop_token /*stop*/) {
  return Refusal("reading files");
}

absl::StatusOr<LsOutput> ExecHandler::Ls(const LsArgs& /*args*/, std::stop_token /*stop*/) {
  return Refusal("listing folders");
}

absl::StatusOr<GrepOutput> ExecHandler::Grep(const GrepArgs& /*args*/, std::stop_token /*stop*/) {
  return Refusal("searching files");
}

absl::StatusOr<WriteOutput> ExecHandler::Write(const WriteArgs& /*args*/,
                                               std::stop_token /*stop*/) {
  return Refusal("writing files");
}

absl::StatusOr<DeleteOutput> ExecHandler::Delete(const DeleteArgs& /*args*/,
                                                 std::stop_token /*stop*/) {
  return Refusal("deleting files");
}

absl::StatusOr<ShellOutput> ExecHandler::Shell(const ShellArgs& /*args*/,
                                               std::stop_token /*stop*/) {
  return Refusal("running shell commands");
}

absl::StatusOr<ShellOutput> ExecHandler::ShellStream(const ShellArgs& args, ShellSink& /*sink*/,
                                                     std::stop_token stop) {
  return Shell(args, std::move(stop));
}

absl::StatusOr<BackgroundShellOutput> ExecHandler::BackgroundShell(
    const BackgroundShellArgs& /*args*/, std::stop_token /*stop*/) {
  return Refusal("running shell commands in the background");
}

absl::StatusOr<WriteShellStdinOutput> ExecHandler::WriteShellStdin(
    const WriteShellStdinArgs& /*args*/, std::stop_token /*stop*/) {
  return Refusal("writing to a shell");
}

absl::StatusOr<FetchOutput> ExecHandler::Fetch(const FetchArgs& /*args*/,
                                               std::stop_token /*stop*/) {
  return Refusal("fetching web pages");
}

absl::StatusOr<DiagnosticsOutput> ExecHandler::Diagnostics(const DiagnosticsArgs& /*args*/,
                                                           std::stop_token /*stop*/) {
  return Refusal("reading diagnostics of files");
}

absl::StatusOr<ListMcpResourcesOutput> ExecHandler::ListMcpResources(
    const ListMcpResourcesArgs& /*args*/, std::stop_token /*stop*/) {
  return Refusal("listing resources of MCP servers");
}

absl::StatusOr<ReadMcpResourceOutput> ExecHandler::ReadMcpResource(
    const ReadMcpResourceArgs& /*args*/, std::stop_token /*stop*/) {
  return Refusal("reading resources of MCP servers");
}

absl::StatusOr<RecordScreenOutput> ExecHandler::RecordScreen(const RecordScreenArgs& /*args*/,
                                                             std::stop_token /*stop*/) {
  return Refusal("recording the screen");
}

absl::StatusOr<ComputerUseOutput> ExecHandler::ComputerUse(const ComputerUseArgs& /*args*/,
                                                           std::stop_token /*stop*/) {
  return Refusal("using the mouse and the keyboard");
}

}  // namespace cursorwire
