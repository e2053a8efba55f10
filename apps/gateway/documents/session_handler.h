#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SESSION_HANDLER_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SESSION_HANDLER_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/exec_handler.h>
#include <cursorwire/mcp/servers.h>
#include <cursorwire/workspace.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "common/allow.h"
#include "documents/approvals.h"
#include "documents/tool_rules.h"

namespace cursor_gateway {

// Whether anything may be changed or run in this mode.
bool MayAct(cursorwire::AgentMode mode);

// A longer call of a tool of a server is not asked about.
inline constexpr size_t kMaxShownCallBytes = size_t{64} * 1024;

// An action that a user is asked about.
struct ApprovalQuestion {
  std::string id{};
  std::string tool_name{};
  std::string arguments_json{};  // an object
  bool is_look = false;          // nothing is changed or run
};

// What holds for the turn that goes on.
struct TurnRules {
  cursorwire::AgentMode mode = cursorwire::AgentMode::kAgent;
  ToolRules tools{};
  // Shows a question to the user; empty: nobody can be asked. On any thread.
  std::function<void(const ApprovalQuestion&)> ask{};
};

// Decides on what the agent does in one conversation: within the workspace, as --allow permits, and
// as the rules of each turn narrow that. Thread-safe.
class SessionHandler {
 public:
  struct Options {
    std::string workspace{};                // empty: none
    std::vector<std::string> code_files{};  // as of LocalExecOptions
    std::vector<std::string> variables{};   // as of LocalExecOptions
    cursor_apps::Allow allow{};
    cursorwire::SandboxMode sandbox = cursorwire::SandboxMode::kOff;
    std::string client_key{};
    std::chrono::milliseconds max_idle{600'000};
  };

  //   what LocalExecHandler::Create() says
  static absl::StatusOr<std::shared_ptr<SessionHandler>> Create(
      Options options, std::shared_ptr<Approvals> approvals);

  // What does it, which keeps `handler` alive; nullptr: there is no workspace.
  static std::shared_ptr<cursorwire::ExecHandler> ActionsOf(
      const std::shared_ptr<SessionHandler>& handler) {
    return {handler, handler->local_.get()};
  }

  void SetRules(TurnRules rules);

  // A call of a tool of a server, or a reading of a resource: asked about unless --allow has `mcp`.
  absl::Status DecideCall(const cursorwire::mcp::ServerCall& call, const std::stop_token& stop);

 private:
  SessionHandler(Options options, std::shared_ptr<Approvals> approvals);

  TurnRules rules() const;
  absl::Status Decide(const cursorwire::LocalAction& action, const std::stop_token& stop);
  absl::Status DecideLook(const cursorwire::LookAction& look, const std::stop_token& stop);
  // `question` without an id.
  absl::Status AskUser(ApprovalQuestion question, const TurnRules& rules,
                       const std::stop_token& stop);

  const Options options_;
  const std::shared_ptr<Approvals> approvals_;
  std::unique_ptr<cursorwire::LocalExecHandler> local_;  // nullptr: no workspace
  mutable std::mutex mutex_;
  TurnRules rules_;  // guarded by mutex_
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SESSION_HANDLER_H_
