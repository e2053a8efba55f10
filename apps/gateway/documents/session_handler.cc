#include "documents/session_handler.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::AgentMode;
using cursorwire::DeleteAction;
using cursorwire::LocalAction;
using cursorwire::ShellAction;
using cursorwire::ShellInputAction;
using cursorwire::WriteAction;
using nlohmann::json;

// An action in the words of a request.
struct NamedAction {
  ActionKind kind = ActionKind::kCommand;
  std::string_view tool_name;
  std::string path;
  json arguments;
};

NamedAction NameOf(const WriteAction& action) {
  return {.kind = ActionKind::kWrite,
          .tool_name = action.creates ? "write" : "edit_file",
          .path = action.path,
          .arguments = {{"path", action.path}, {"diff", action.diff}}};
}
NamedAction NameOf(const DeleteAction& action) {
  return {.kind = ActionKind::kDelete,
          .tool_name = "delete_file",
          .path = action.path,
          .arguments = {{"path", action.path}}};
}
NamedAction NameOf(const ShellAction& action) {
  return {.tool_name = "run_terminal_cmd",
          .path = {},
          .arguments = {{"command", action.command},
                        {"workingDirectory", action.working_directory},
                        {"background", action.in_background}}};
}
NamedAction NameOf(const ShellInputAction& action) {
  return {.tool_name = "run_terminal_cmd",
          .path = {},
          .arguments = {{"command", action.command}, {"input", action.chars}}};
}
NamedAction NameOf(const LocalAction& action) {
  return std::visit([](const auto& what) { return NameOf(what); }, action);
}

absl::Status NothingIsDone() {
  return absl::PermissionDeniedError("in this mode nothing is changed or run; say what to do");
}

absl::Status NoWorkspace() {
  return absl::PermissionDeniedError("there is no workspace here; answer from the conversation");
}

// What a user cannot see, the user cannot decide on.
bool IsShown(const LocalAction& action) {
  const auto* write = std::get_if<WriteAction>(&action);
  return write == nullptr || write->shown;
}

}  // namespace

bool MayAct(AgentMode mode) { return mode != AgentMode::kPlan && mode != AgentMode::kAsk; }

absl::StatusOr<std::shared_ptr<SessionHandler>> SessionHandler::Create(Options options,
                                                                       Approvals& approvals) {
  const bool has_workspace = !options.workspace.empty() && options.allow.read;
  const std::string workspace = options.workspace;
  std::shared_ptr<SessionHandler> handler(new SessionHandler(std::move(options), approvals));
  if (!has_workspace) return handler;
  auto local = cursorwire::LocalExecHandler::Create(
      workspace,
      {.policy = [self = handler.get()](const LocalAction& action, std::stop_token stop) {
        return self->Decide(action, stop);
      }});
  if (!local.ok()) return local.status();
  handler->local_ = *std::move(local);
  return handler;
}

SessionHandler::SessionHandler(Options options, Approvals& approvals)
    : options_(std::move(options)), approvals_(approvals) {}

void SessionHandler::SetRules(TurnRules rules) {
  const std::lock_guard lock(mutex_);
  rules_ = std::move(rules);
}

TurnRules SessionHandler::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

absl::Status SessionHandler::CheckLook(ActionKind kind, const std::string& path) const {
  if (local_ == nullptr) return NoWorkspace();
  return rules().tools.Check(kind, path, local_->folder());
}

absl::Status SessionHandler::Decide(const LocalAction& action, const std::stop_token& stop) {
  const TurnRules rules = this->rules();
  if (!MayAct(rules.mode)) return NothingIsDone();
  const NamedAction named = NameOf(action);
  absl::Status allowed = rules.tools.Check(named.kind, named.path, local_->folder());
  if (!allowed.ok()) return allowed;
  allowed = cursor_apps::CheckAllowed(options_.allow, action);
  if (allowed.ok() && !rules.tools.RequiresApproval(named.kind)) return allowed;
  if (!allowed.ok() && !options_.allow.ask) return allowed;
  return Ask(action, rules, stop);
}

absl::Status SessionHandler::Ask(const LocalAction& action, const TurnRules& rules,
                                 const std::stop_token& stop) {
  if (rules.ask && !IsShown(action)) {
    return absl::PermissionDeniedError("the user is only asked about a change that can be shown");
  }
  const NamedAction named = NameOf(action);
  return AskUser(named.tool_name, named.arguments, rules, stop);
}

absl::Status SessionHandler::DecideCall(const cursorwire::mcp::ServerCall& call,
                                        const std::stop_token& stop) {
  const TurnRules rules = this->rules();
  if (!MayAct(rules.mode)) return NothingIsDone();
  if (!options_.allow.read) {
    return absl::PermissionDeniedError("the user does not allow tools of servers");
  }
  const std::string name = call.resource.empty() ? call.model_name : kReadResource;
  absl::Status allowed = call.resource.empty() ? rules.tools.CheckServerTool(name)
                                               : rules.tools.CheckReading(call.provider);
  if (!allowed.ok()) return allowed;
  const bool requires_approval = call.resource.empty()
                                     ? rules.tools.RequiresApprovalOf(name)
                                     : rules.tools.RequiresApprovalOfReading(call.provider);
  if (options_.allow.mcp && !requires_approval) return absl::OkStatus();
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
  return AskUser(name, arguments, rules, stop);
}

absl::Status SessionHandler::AskUser(std::string_view tool_name, const json& arguments,
                                     const TurnRules& rules, const std::stop_token& stop) {
  if (!rules.ask) {
    return absl::PermissionDeniedError(
        "this needs the user's approval, and the user cannot be asked; say what is to be done");
  }
  const std::string id = approvals_.Open(options_.client_key);
  rules.ask(
      {.id = id, .tool_name = std::string(tool_name), .arguments_json = CompactJson(arguments)});
  return approvals_.Wait(id, options_.max_idle, stop);
}

void SessionHandler::Describe(cursorwire::Environment& environment) const {
  if (local_ != nullptr) local_->Describe(environment);
}

absl::StatusOr<cursorwire::ReadOutput> SessionHandler::Read(const cursorwire::ReadArgs& args,
                                                            std::stop_token stop) {
  absl::Status allowed = CheckLook(ActionKind::kRead, args.path);
  if (!allowed.ok()) return allowed;
  return local_->Read(args, std::move(stop));
}

absl::StatusOr<cursorwire::LsOutput> SessionHandler::Ls(const cursorwire::LsArgs& args,
                                                        std::stop_token stop) {
  absl::Status allowed = CheckLook(ActionKind::kList, args.path);
  if (!allowed.ok()) return allowed;
  return local_->Ls(args, std::move(stop));
}

absl::StatusOr<cursorwire::GrepOutput> SessionHandler::Grep(const cursorwire::GrepArgs& args,
                                                            std::stop_token stop) {
  absl::Status allowed = CheckLook(ActionKind::kSearch, args.path);
  if (!allowed.ok()) return allowed;
  return local_->Grep(args, std::move(stop));
}

// The policy of the handler below, which sees what will really be done, decides on these.
absl::StatusOr<cursorwire::WriteOutput> SessionHandler::Write(const cursorwire::WriteArgs& args,
                                                              std::stop_token stop) {
  if (local_ == nullptr) return NoWorkspace();
  return local_->Write(args, std::move(stop));
}

absl::StatusOr<cursorwire::DeleteOutput> SessionHandler::Delete(const cursorwire::DeleteArgs& args,
                                                                std::stop_token stop) {
  if (local_ == nullptr) return NoWorkspace();
  return local_->Delete(args, std::move(stop));
}

absl::StatusOr<cursorwire::ShellOutput> SessionHandler::Shell(const cursorwire::ShellArgs& args,
                                                              std::stop_token stop) {
  if (local_ == nullptr) return NoWorkspace();
  return local_->Shell(args, std::move(stop));
}

absl::StatusOr<cursorwire::ShellOutput> SessionHandler::ShellStream(
    const cursorwire::ShellArgs& args, cursorwire::ShellSink& sink, std::stop_token stop) {
  if (local_ == nullptr) return NoWorkspace();
  return local_->ShellStream(args, sink, std::move(stop));
}

absl::StatusOr<cursorwire::BackgroundShellOutput> SessionHandler::BackgroundShell(
    const cursorwire::BackgroundShellArgs& args, std::stop_token stop) {
  if (local_ == nullptr) return NoWorkspace();
  return local_->BackgroundShell(args, std::move(stop));
}

absl::StatusOr<cursorwire::WriteShellStdinOutput> SessionHandler::WriteShellStdin(
    const cursorwire::WriteShellStdinArgs& args, std::stop_token stop) {
  if (local_ == nullptr) return NoWorkspace();
  return local_->WriteShellStdin(args, std::move(stop));
}

absl::StatusOr<cursorwire::QuestionAnswers> SessionHandler::AskQuestion(
    const cursorwire::AskQuestionQuery& query, std::stop_token) {
  if (const auto show = rules().show) show(query);
  return absl::FailedPreconditionError(
      "the questions are shown to the user, who answers in the next message: end your turn");
}

absl::StatusOr<cursorwire::PlanAccepted> SessionHandler::CreatePlan(
    const cursorwire::CreatePlanQuery& query, std::stop_token stop) {
  const TurnRules rules = this->rules();
  if (rules.show) rules.show(query);
  if (rules.mode == AgentMode::kPlan) return cursorwire::PlanAccepted{};
  return cursorwire::QueryHandler::CreatePlan(query, std::move(stop));
}

}  // namespace cursor_gateway
