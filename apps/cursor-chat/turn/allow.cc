#include "turn/allow.h"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/visible_text.h"
#include "output/notices.h"

namespace cursor_chat {
namespace {

using cursorwire::AgentMode;
using cursorwire::DeleteAction;
using cursorwire::LocalAction;
using cursorwire::ShellAction;
using cursorwire::ShellInputAction;
using cursorwire::WriteAction;

// Warns if other programs run code from the file, so that this does not look like any other change.
std::string FileQuestion(const std::string& doing, bool runs_code) {
  return runs_code ? "may the agent " + doing + " this file? Other programs may run what is in it"
                   : "may the agent " + doing + " this file?";
}

Question Ask(const WriteAction& action) {
  return {.title = FileQuestion(action.creates ? "make" : "change", action.runs_code),
          .parts = {{"file", cursor_apps::ExactLine(action.path)}, {"change", action.diff}}};
}
Question Ask(const DeleteAction& action) {
  return {.title = FileQuestion("delete", action.runs_code),
          .parts = {{"file", cursor_apps::ExactLine(action.path)}}};
}
// The command is last, since it may be long.
Question Ask(const ShellAction& action) {
  Question question{.title = action.in_background
                                 ? "may the agent run this command in the background?"
                                 : "may the agent run this command?",
                    .parts = {{"folder", cursor_apps::ExactLine(action.working_directory)}}};
  const std::string sandbox = cursor_apps::SandboxWords(action);
  if (!sandbox.empty()) question.parts.push_back({"runs", cursor_apps::ExactLine(sandbox)});
  question.parts.push_back({"command", action.command});
  return question;
}
Question Ask(const ShellInputAction& action) {
  return {.title = "may the agent give this input to a command in the background?",
          .parts = {{"command", action.command}, {"input", action.chars}}};
}

Question Ask(const cursorwire::mcp::ServerCall& call) {
  if (!call.resource.empty()) {
    return {.title = "may the agent read this resource of a server?",
            .parts = {{"server", cursor_apps::ExactLine(call.server)},
                      {"resource", cursor_apps::ExactLine(call.resource)}}};
  }
  return {.title = "may the agent call this tool of a server?",
          .parts = {{"server", cursor_apps::ExactLine(call.server)},
                    {"tool", cursor_apps::ExactLine(call.tool)},
                    {"arguments", call.arguments_json}}};
}

absl::Status Refuse(const std::string& message) { return absl::PermissionDeniedError(message); }

// What is done, in a line. Only as much of it as a line may have.
constexpr size_t kMaxLineBytes = 2048;

std::string LineOf(const WriteAction& action) { return "write " + action.path; }
std::string LineOf(const DeleteAction& action) { return "delete " + action.path; }
std::string LineOf(const ShellAction& action) {
  return "shell " + action.command.substr(0, kMaxLineBytes);
}
std::string LineOf(const ShellInputAction& action) {
  return "shell input " + action.chars.substr(0, kMaxLineBytes);
}

// A user who does not see what changes cannot decide about it. OK, or the message for the agent.
absl::Status CheckShown(const LocalAction& action) {
  const auto* write = std::get_if<WriteAction>(&action);
  if (write == nullptr || write->shown) return absl::OkStatus();
  return Refuse("the user is only asked about a change that can be shown. " + write->diff);
}

// The status for an answer of the user.
absl::Status StatusOf(Answer answer, const absl::Status& not_allowed) {
  switch (answer) {
    case Answer::kYes:
      return absl::OkStatus();
    case Answer::kNo:
      return Refuse("the user was asked and said no; do not try it in another way, ask what to do");
    case Answer::kNotAsked:
      break;  // nobody can be asked
    case Answer::kTooLong:
      return Refuse("this is more than the user can be asked about; do it in smaller steps");
    case Answer::kStopped:
      return absl::CancelledError("no longer wanted");
  }
  return not_allowed;
}

}  // namespace

cursorwire::ActionPolicy MakePolicy(const Allow& allow, AgentMode mode,
                                    TerminalQuestion& question) {
  return [allow, mode, &question](const LocalAction& action,
                                  const cursorwire::ActionContext& context) {
    if (absl::Status status = CheckMode(mode); !status.ok()) return status;
    absl::Status allowed = cursor_apps::CheckAllowed(allow, action);
    if (allowed.ok() || !allow.ask) return allowed;
    if (absl::Status status = CheckShown(action); !status.ok()) return status;
    const Question about = std::visit([](const auto& what) { return Ask(what); }, action);
    return StatusOf(question.Ask(about, context.stop), allowed);
  };
}

cursorwire::mcp::CallPolicy MakeCallPolicy(const Allow& allow, AgentMode mode,
                                           TerminalQuestion& question) {
  return [allow, mode, &question](const cursorwire::mcp::ServerCall& call,
                                  const cursorwire::ActionContext& context) {
    if (absl::Status status = CheckMode(mode); !status.ok()) return status;
    if (!allow.read) return Refuse("the user does not allow tools of servers");
    if (allow.mcp || !allow.ask) return absl::OkStatus();
    return StatusOf(question.Ask(Ask(call), context.stop),
                    Refuse("the user is asked about each call of such a tool, and there is no "
                           "terminal to ask; do without it"));
  };
}

cursorwire::ActionPolicy ShowUnnamed(cursorwire::ActionPolicy policy, Output& output) {
  return [policy = std::move(policy), &output](const LocalAction& action,
                                               const cursorwire::ActionContext& context) {
    absl::Status allowed = policy(action, context);
    if (!allowed.ok() || !context.call_id.empty()) return allowed;
    PrintToolLine(output, std::visit([](const auto& what) { return LineOf(what); }, action));
    return allowed;
  };
}

}  // namespace cursor_chat
