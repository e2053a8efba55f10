#ifndef CURSORWIRE_APPS_COLLAB_REFUSING_HANDLER_H_
#define CURSORWIRE_APPS_COLLAB_REFUSING_HANDLER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/exec_handler.h>

#include <string>
#include <utility>

namespace cursor_collab {

// Does nothing of what the agent asks for on this machine, and says what it may do instead.
class RefusingHandler final : public cursorwire::ExecHandler {
 public:
  explicit RefusingHandler(std::string instead) : instead_(std::move(instead)) {}

  absl::StatusOr<cursorwire::ReadOutput> Read(
      const cursorwire::ReadArgs& /*args*/, const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::LsOutput> Ls(const cursorwire::LsArgs& /*args*/,
                                          const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::GrepOutput> Grep(
      const cursorwire::GrepArgs& /*args*/, const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::WriteOutput> Write(
      const cursorwire::WriteArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::DeleteOutput> Delete(
      const cursorwire::DeleteArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::ShellOutput> Shell(
      const cursorwire::ShellArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::BackgroundShellOutput> BackgroundShell(
      const cursorwire::BackgroundShellArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::WriteShellStdinOutput> WriteShellStdin(
      const cursorwire::WriteShellStdinArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::FetchOutput> Fetch(
      const cursorwire::FetchArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::DiagnosticsOutput> Diagnostics(
      const cursorwire::DiagnosticsArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::ListMcpResourcesOutput> ListMcpResources(
      const cursorwire::ListMcpResourcesArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }
  absl::StatusOr<cursorwire::ReadMcpResourceOutput> ReadMcpResource(
      const cursorwire::ReadMcpResourceArgs& /*args*/,
      const cursorwire::ActionContext& /*context*/) override {
    return Refusal();
  }

 private:
  absl::Status Refusal() const { return absl::PermissionDeniedError(instead_); }

  const std::string instead_;
};

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_REFUSING_HANDLER_H_
