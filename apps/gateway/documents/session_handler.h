#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SESSION_HANDLER_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SESSION_HANDLER_H_

#include <absl/status/statusor.h>
#include <cursorwire/action_policy.h>
#include <cursorwire/chat.h>
#include <cursorwire/exec_handler.h>
#include <cursorwire/local_exec_handler.h>
#include <cursorwire/mcp/servers.h>
#include <cursorwire/query_handler.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <string_view>

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
};

// What holds for the turn that goes on.
struct TurnRules {
  cursorwire::AgentMode mode = cursorwire::AgentMode::kAgent;
  ToolRules tools{};
  // Shows a question to the user; empty: nobody can be asked. On any thread.
  std::function<void(const ApprovalQuestion&)> ask{};
  // Shows a question or a plan of the agent. On any thread.
  std::function<void(const cursorwire::QueryArgs&)> show{};
};

// Does what the agent asks for in one conversation: within the workspace, as --allow permits, and
// as the rules of each turn narrow that. Also answers its questions: plans are accepted in plan
// mode, and questions are shown to the user, who answers in the next message. Thread-safe.
class SessionHandler final : public cursorwire::ExecHandler, public cursorwire::QueryHandler {
 public:
  struct Options {
    std::string workspace{};  // empty: none
    cursor_apps::Allow allow{};
    std::string client_key{};
    std::chrono::milliseconds max_idle{600'000};
  };

  // `approvals` outlives it.
  //   what LocalExecHandler::Create() says
  static absl::StatusOr<std::shared_ptr<SessionHandler>> Create(Options options,
                                                                Approvals& approvals);

  void SetRules(TurnRules rules);

  // A call of a tool of a server, or a reading of a resource: asked about unless --allow has `mcp`.
  absl::Status DecideCall(const cursorwire::mcp::ServerCall& call, const std::stop_token& stop);

  void Describe(cursorwire::Environment& environment) const override;
  absl::StatusOr<cursorwire::ReadOutput> Read(const cursorwire::ReadArgs& args,
                                              std::stop_token stop) override;
  absl::StatusOr<cursorwire::LsOutput> Ls(const cursorwire::LsArgs& args,
                                          std::stop_token stop) override;
  absl::StatusOr<cursorwire::GrepOutput> Grep(const cursorwire::GrepArgs& args,
                                              std::stop_token stop) override;
  absl::StatusOr<cursorwire::WriteOutput> Write(const cursorwire::WriteArgs& args,
                                                std::stop_token stop) override;
  absl::StatusOr<cursorwire::DeleteOutput> Delete(const cursorwire::DeleteArgs& args,
                                                  std::stop_token stop) override;
  absl::StatusOr<cursorwire::ShellOutput> Shell(const cursorwire::ShellArgs& args,
                                                std::stop_token stop) override;
  absl::StatusOr<cursorwire::ShellOutput> ShellStream(const cursorwire::ShellArgs& args,
                                                      cursorwire::ShellSink& sink,
                                                      std::stop_token stop) override;
  absl::StatusOr<cursorwire::BackgroundShellOutput> BackgroundShell(
      const cursorwire::BackgroundShellArgs& args, std::stop_token stop) override;
  absl::StatusOr<cursorwire::WriteShellStdinOutput> WriteShellStdin(
      const cursorwire::WriteShellStdinArgs& args, std::stop_token stop) override;

  absl::StatusOr<cursorwire::QuestionAnswers> AskQuestion(const cursorwire::AskQuestionQuery& query,
                                                          std::stop_token stop) override;
  absl::StatusOr<cursorwire::PlanAccepted> CreatePlan(const cursorwire::CreatePlanQuery& query,
                                                      std::stop_token stop) override;

 private:
  SessionHandler(Options options, Approvals& approvals);

  TurnRules rules() const;
  // Whether there is a workspace, and the rules of the turn let it be looked at there.
  absl::Status CheckLook(ActionKind kind, const std::string& path) const;
  absl::Status Decide(const cursorwire::LocalAction& action, const std::stop_token& stop);
  absl::Status Ask(const cursorwire::LocalAction& action, const TurnRules& rules,
                   const std::stop_token& stop);
  absl::Status AskUser(std::string_view tool_name, const nlohmann::json& arguments,
                       const TurnRules& rules, const std::stop_token& stop);

  const Options options_;
  Approvals& approvals_;
  std::unique_ptr<cursorwire::LocalExecHandler> local_;  // nullptr: no workspace
  mutable std::mutex mutex_;
  TurnRules rules_;  // guarded by mutex_
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SESSION_HANDLER_H_
