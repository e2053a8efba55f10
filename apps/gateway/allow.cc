#include "allow.h"

#include <sstream>
#include <variant>

#include "openai/concat.h"

namespace cursor_gateway {
namespace {

using cursorwire::DeleteAction;
using cursorwire::WriteAction;

// Whether the action changes files, and whether it runs code or leads to it.
struct Needs {
  bool write = false;
  bool shell = false;
};

Needs NeedsOf(const cursorwire::LocalAction& action) {
  if (const auto* write = std::get_if<WriteAction>(&action)) return {true, write->runs_code};
  if (const auto* removal = std::get_if<DeleteAction>(&action)) return {true, removal->runs_code};
  return {false, true};
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
          Concat("must be none, or a list of read, write, shell and ask such as read,write; not '",
                 list, "'"));
    }
  }
  return allow;
}

cursorwire::ActionPolicy MakePolicy(const Allow& allow) {
  return [allow](const cursorwire::LocalAction& action, const std::stop_token&) {
    const Needs needs = NeedsOf(action);
    if (needs.write && !allow.write) {
      return absl::PermissionDeniedError(
          "the user does not allow to change files; say which change is to be made");
    }
    if (needs.shell && !allow.shell) {
      return absl::PermissionDeniedError(
          needs.write ? "other programs may run what is in this file, and the user does not allow "
                        "commands; say which change is to be made"
                      : "the user does not allow commands; say which command is to be run");
    }
    return absl::OkStatus();
  };
}

}  // namespace cursor_gateway
