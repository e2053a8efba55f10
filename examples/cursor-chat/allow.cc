#include "allow.h"

#include <sstream>
#include <type_traits>
#include <variant>

namespace cursor_chat {
namespace {

using cursorwire::Action;
using cursorwire::AgentMode;
using cursorwire::DeleteAction;
using cursorwire::ShellAction;
using cursorwire::ShellInputAction;
using cursorwire::WriteAction;

bool ChangesFiles(const Action& action) {
  return std::holds_alternative<WriteAction>(action) ||
         std::holds_alternative<DeleteAction>(action);
}

Question Ask(const WriteAction& action) {
  return {.title = action.creates ? "may the agent make this file?" : "may it change this file?",
          .parts = {{"file", action.path}, {"change", action.diff}}};
}
Question Ask(const DeleteAction& action) {
  return {.title = "may the agent delete this file?", .parts = {{"file", action.path}}};
}
Question Ask(const ShellAction& action) {
  return {.title = action.in_background ? "may the agent run this command in the background?"
                                        : "may the agent run this command?",
          .parts = {{"folder", action.working_directory}, {"command", action.command}}};
}
Question Ask(const ShellInputAction& action) {
  return {.title = "may the agent give this input to a command in the background?",
          .parts = {{"command", action.command}, {"input", action.chars}}};
}

absl::Status Refuse(const std::string& message) { return absl::PermissionDeniedError(message); }

absl::Status NotAllowed(bool files) {
  return files ? Refuse("the user does not allow to change files; say which change is to be made")
               : Refuse("the user does not allow commands; say which command is to be run");
}

// A user who does not see what changes cannot decide on it. OK, or what the agent is told.
absl::Status CheckShown(const Action& action) {
  const auto* write = std::get_if<WriteAction>(&action);
  if (write == nullptr || write->shown) return absl::OkStatus();
  return Refuse("the user is only asked about a change that can be shown. " + write->diff);
}

absl::Status StatusOf(Answer answer, bool files) {
  switch (answer) {
    case Answer::kYes:
      return absl::OkStatus();
    case Answer::kNo:
      return Refuse("the user was asked and said no; do not try it in another way, ask what to do");
    case Answer::kNotAsked:
      break;  // nobody is there to allow it
    case Answer::kTooLong:
      return Refuse("this is more than the user can be asked about; do it in smaller steps");
    case Answer::kStopped:
      return absl::CancelledError("no longer wanted");
  }
  return NotAllowed(files);
}

}  // namespace

absl::StatusOr<Allow> ParseAllow(const std::string& list) {
  if (list == "none") return Allow{.read = false};
  Allow allow;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "write") {
      allow.write = true;
    } else if (word == "shell") {
      allow.shell = true;
    } else if (word == "ask") {
      allow.ask = true;
    } else if (word != "read") {
      return absl::InvalidArgumentError(
          "must be none, or a list of read, write, shell and ask such as read,ask; not '" + list +
          "'");
    }
  }
  return allow;
}

absl::Status CheckMode(AgentMode mode) {
  switch (mode) {
    case AgentMode::kAgent:
    case AgentMode::kDebug:
      return absl::OkStatus();
    case AgentMode::kPlan:
      return Refuse("in plan mode nothing is changed or run; make it a part of the plan instead");
    case AgentMode::kAsk:
      return Refuse("in ask mode nothing is changed or run; answer without it");
  }
  return Refuse("nothing is changed or run in this mode");
}

cursorwire::Policy MakePolicy(const Allow& allow, AgentMode mode, TerminalQuestion& question) {
  return [allow, mode, &question](const Action& action, const std::stop_token& stop) {
    if (absl::Status status = CheckMode(mode); !status.ok()) return status;
    const bool files = ChangesFiles(action);
    if (files ? allow.write : allow.shell) return absl::OkStatus();
    if (!allow.ask) return NotAllowed(files);
    if (absl::Status status = CheckShown(action); !status.ok()) return status;
    const Question about = std::visit([](const auto& what) { return Ask(what); }, action);
    return StatusOf(question.Ask(about, stop), files);
  };
}

}  // namespace cursor_chat
