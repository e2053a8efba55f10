#include "common/allow.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <sstream>
#include <variant>

namespace cursor_apps {
namespace {

using cursorwire::DeleteAction;
using cursorwire::SandboxMode;
using cursorwire::SandboxSettings;
using cursorwire::ShellAction;
using cursorwire::ShellInputAction;
using cursorwire::WriteAction;

// The permissions that an action needs.
struct Needs {
  bool write = false;
  bool shell = false;
};

Needs NeedsOf(const cursorwire::LocalAction& action) {
  if (const auto* write = std::get_if<WriteAction>(&action)) return {true, write->runs_code};
  if (const auto* removal = std::get_if<DeleteAction>(&action)) return {true, removal->runs_code};
  return {false, true};
}

absl::Status Refuse(const std::string& message) { return absl::PermissionDeniedError(message); }

// OK: it may run without a question.
absl::Status CheckCommand(const Allow& allow, const cursorwire::ShellAction& action) {
  if (!action.permissions.empty()) {
    return Refuse(absl::StrCat("the user does not give commands the permission ",
                               absl::StrJoin(action.permissions, ", "),
                               "; say which command is to be run with it"));
  }
  if (allow.shell || (allow.sandboxed && action.sandbox)) return absl::OkStatus();
  if (allow.sandboxed) {
    return Refuse(absl::StrCat("the user allows commands in a sandbox alone, and there is ",
                               action.no_sandbox));
  }
  return Refuse("the user does not allow commands; say which command is to be run");
}

}  // namespace

absl::StatusOr<Allow> ParseAllow(const std::string& list) {
  if (list == "none") return Allow{.read = false};
  Allow allow;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "write") {
      allow.write = true;
    } else if (word == "sandboxed") {
      allow.sandboxed = true;
    } else if (word == "shell") {
      allow.shell = true;
    } else if (word == "mcp") {
      allow.mcp = true;
    } else if (word == "ask") {
      allow.ask = true;
    } else if (word != "read") {
      return absl::InvalidArgumentError(
          absl::StrCat("must be none, or a list of read, write, sandboxed, shell, mcp and ask "
                       "such as read,ask; not '",
                       list, "'"));
    }
  }
  return allow;
}

absl::Status CheckAllowed(const Allow& allow, const cursorwire::LocalAction& action) {
  if (const auto* command = std::get_if<ShellAction>(&action)) return CheckCommand(allow, *command);
  const auto* input = std::get_if<ShellInputAction>(&action);
  if (input != nullptr && input->sandboxed && allow.sandboxed) return absl::OkStatus();
  const Needs needs = NeedsOf(action);
  if (needs.write && !allow.write) {
    return Refuse("the user does not allow to change files; say which change is to be made");
  }
  if (!needs.shell || allow.shell) return absl::OkStatus();
  if (!needs.write) {
    return Refuse("the user does not allow commands; say which command is to be run");
  }
  return Refuse(
      "other programs may run what is in this file, and the user does not allow commands; say "
      "which change is to be made");
}

SandboxSettings SandboxFor(const Allow& allow, SandboxMode mode) {
  const bool runs_some = allow.shell || allow.sandboxed || allow.ask;
  // Who allows any command wants no sandbox around it, unless he says so.
  const bool any_command = allow.shell && mode != SandboxMode::kRequire;
  if (!allow.read || !runs_some || any_command) return {};
  SandboxSettings settings{.mode = mode, .ask_for_more = allow.ask};
  // Where each command is asked about, a yes to it is one to its changes.
  const bool asks_each = allow.ask && !allow.sandboxed;
  if (!allow.write && !allow.shell && !asks_each) {
    settings.policy.workspace = cursorwire::WorkspaceAccess::kRead;
  }
  return settings;
}

std::string SandboxWords(const ShellAction& action) {
  std::string words;
  if (action.sandbox) {
    words = "in the sandbox: " + cursorwire::DescribeSandbox(*action.sandbox);
  } else if (!action.permissions.empty() || !action.no_sandbox.empty()) {
    words = "without a sandbox: it may do whatever you may";
  }
  if (!action.permissions.empty()) {
    words += "; it asks for " + absl::StrJoin(action.permissions, ", ");
  }
  if (!action.no_sandbox.empty()) words += "; " + action.no_sandbox;
  return words;
}

absl::Status CheckMode(cursorwire::AgentMode mode) {
  switch (mode) {
    case cursorwire::AgentMode::kAgent:
    case cursorwire::AgentMode::kDebug:
      return absl::OkStatus();
    case cursorwire::AgentMode::kPlan:
      return Refuse("in plan mode nothing is changed or run; make it a part of the plan instead");
    case cursorwire::AgentMode::kAsk:
      return Refuse("in ask mode nothing is changed or run; answer without it");
  }
  return Refuse("nothing is changed or run in this mode");
}

}  // namespace cursor_apps
