#include "documents/session_handler.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::AgentMode;
using cursorwire::LocalAction;
using nlohmann::json;

// An action in the words of a request. Actions with a path have it in the arguments.
struct NamedAction {
  ActionKind kind = ActionKind::kCommand;
  const char* tool_name = "run_terminal_cmd";
  json arguments;

  std::string path() const { return arguments.value("path", ""); }
};

NamedAction NameOf(const cursorwire::ReadAction& look) {
  return {ActionKind::kRead, "read_file", {{"path", look.path}}};
}
NamedAction NameOf(const cursorwire::ListAction& look) {
  return {ActionKind::kList, "list_dir", {{"path", look.path}}};
}
NamedAction NameOf(const cursorwire::SearchAction& look) {
  return {ActionKind::kSearch,
          "grep",
          {{"path", look.path}, {"pattern", look.pattern}, {"glob", look.glob}}};
}
NamedAction NameOf(const cursorwire::WriteAction& action) {
  return {action.creates ? ActionKind::kMake : ActionKind::kChange,
          action.creates ? "write" : "edit_file",
          {{"path", action.path}, {"diff", action.diff}, {"runsCode", action.runs_code}}};
}
NamedAction NameOf(const cursorwire::DeleteAction& action) {
  return {
      ActionKind::kDelete, "delete_file", {{"path", action.path}, {"runsCode", action.runs_code}}};
}
NamedAction NameOf(const cursorwire::ShellAction& action) {
  NamedAction named{.arguments = {{"command", action.command},
                                  {"workingDirectory", action.working_directory},
                                  {"background", action.in_background}}};
  const std::string sandbox = cursor_apps::SandboxWords(action);
  if (!sandbox.empty()) named.arguments["runs"] = sandbox;
  if (!action.permissions.empty()) named.arguments["permissions"] = action.permissions;
  return named;
}
NamedAction NameOf(const cursorwire::ShellInputAction& action) {
  return {.arguments = {{"command", action.command}, {"input", action.chars}}};
}
template <typename Action>
NamedAction NameOfAny(const Action& action) {
  return std::visit([](const auto& what) { return NameOf(what); }, action);
}

absl::Status NothingIsDone() {
  return absl::PermissionDeniedError("in this mode nothing is changed or run; say what to do");
}

// What a user cannot see, the user cannot decide on.
bool IsShown(const LocalAction& action) {
  const auto* write = std::get_if<cursorwire::WriteAction>(&action);
  return write == nullptr || write->shown;
}

}  // namespace

bool MayAct(AgentMode mode) { return mode != AgentMode::kPlan && mode != AgentMode::kAsk; }

absl::StatusOr<std::shared_ptr<SessionHandler>> SessionHandler::Create(
    Options options, std::shared_ptr<Approvals> approvals) {
  const bool has_workspace = !options.workspace.empty() && options.allow.read;
  const std::string workspace = options.workspace;
  const std::vector<std::string> code_files = options.code_files;
  const std::vector<std::string> variables = options.variables;
  const cursorwire::SandboxSettings sandbox =
      cursor_apps::SandboxFor(options.allow, options.sandbox);
  std::shared_ptr<SessionHandler> handler(
      new SessionHandler(std::move(options), std::move(approvals)));
  if (!has_workspace) return handler;
  auto local = cursorwire::LocalExecHandler::Create(
      workspace, {.policy =
                      [self = handler.get()](const LocalAction& action,
                                             const cursorwire::ActionContext& context) {
                        return self->Decide(action, context.stop);
                      },
                  .look_policy =
                      [self = handler.get()](const cursorwire::LookAction& look,
                                             const cursorwire::ActionContext& context) {
                        return self->DecideLook(look, context.stop);
                      },
                  .code_files = code_files,
                  .sandbox = sandbox,
                  .variables = variables});
  if (!local.ok()) return local.status();
  handler->local_ = *std::move(local);
  return handler;
}

SessionHandler::SessionHandler(Options options, std::shared_ptr<Approvals> approvals)
    : options_(std::move(options)), approvals_(std::move(approvals)) {}

void SessionHandler::SetRules(TurnRules rules) {
  const std::lock_guard lock(mutex_);
  rules_ = std::move(rules);
}

TurnRules SessionHandler::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

absl::Status SessionHandler::Decide(const LocalAction& action, const std::stop_token& stop) {
  const TurnRules rules = this->rules();
  if (!MayAct(rules.mode)) return NothingIsDone();
  const NamedAction named = NameOfAny(action);
  const absl::StatusOr<bool> asks = rules.tools.Check(named.kind, named.path(), local_->folder());
  if (!asks.ok()) return asks.status();
  absl::Status allowed = cursor_apps::CheckAllowed(options_.allow, action);
  if (allowed.ok() && !*asks) return allowed;
  if (!allowed.ok() && !options_.allow.ask) return allowed;
  if (rules.ask && !IsShown(action)) {
    return absl::PermissionDeniedError("the user is only asked about a change that can be shown");
  }
  return AskUser({.tool_name = named.tool_name, .arguments_json = CompactJson(named.arguments)},
                 rules, stop);
}

absl::Status SessionHandler::DecideLook(const cursorwire::LookAction& look,
                                        const std::stop_token& stop) {
  const TurnRules rules = this->rules();
  const NamedAction named = NameOfAny(look);
  const absl::StatusOr<bool> asks = rules.tools.Check(named.kind, named.path(), local_->folder());
  if (!asks.ok() || !*asks) return asks.status();
  return AskUser({.tool_name = named.tool_name,
                  .arguments_json = CompactJson(named.arguments),
                  .is_look = true},
                 rules, stop);
}

absl::Status SessionHandler::DecideCall(const cursorwire::mcp::ServerCall& call,
                                        const std::stop_token& stop) {
  const TurnRules rules = this->rules();
  if (!MayAct(rules.mode)) return NothingIsDone();
  if (!options_.allow.read) {
    return absl::PermissionDeniedError("the user does not allow tools of servers");
  }
  const std::string name = call.resource.empty() ? call.model_name : kReadResource;
  const absl::StatusOr<bool> asks = call.resource.empty() ? rules.tools.CheckServerTool(name)
                                                          : rules.tools.CheckReading(call.provider);
  if (!asks.ok()) return asks.status();
  if (options_.allow.mcp && !*asks) return absl::OkStatus();
  if (call.arguments_json.size() > kMaxShownCallBytes) {
    return absl::PermissionDeniedError(
        "this is more than the user can be asked about; do it in smaller steps");
  }
  json arguments = {{"server", call.server}};
  if (call.resource.empty()) {
    arguments["tool"] = call.tool;
    arguments["arguments"] = json::parse(call.arguments_json, nullptr, false);
  } else {
    arguments["uri"] = call.resource;
  }
  return AskUser({.tool_name = name, .arguments_json = CompactJson(arguments)}, rules, stop);
}

absl::Status SessionHandler::AskUser(ApprovalQuestion question, const TurnRules& rules,
                                     const std::stop_token& stop) {
  if (!rules.ask) {
    return absl::PermissionDeniedError(
        "this needs the user's approval, and the user cannot be asked; say what is to be done");
  }
  question.id = approvals_->Open(options_.client_key);
  rules.ask(question);
  return approvals_->Wait(question.id, options_.max_idle, stop);
}

}  // namespace cursor_gateway
