#include "common/allow.h"

#include <absl/strings/str_cat.h>

#include <sstream>
#include <variant>

namespace cursor_apps {
namespace {

using cursorwire::DeleteAction;
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

absl::Status Refuse(const char* message) { return absl::PermissionDeniedError(message); }

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
    } else if (word == "mcp") {
      allow.mcp = true;
    } else if (word == "ask") {
      allow.ask = true;
    } else if (word != "read") {
      return absl::InvalidArgumentError(
          absl::StrCat("must be none, or a list of read, write, shell, mcp and ask such as "
                       "read,ask; not '",
                       list, "'"));
    }
  }
  return allow;
}

absl::Status CheckAllowed(const Allow& allow, const cursorwire::LocalAction& action) {
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
