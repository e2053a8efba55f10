#include "workspace/fs/permission.h"

#include <absl/strings/str_cat.h>

#include <string_view>
#include <variant>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

absl::Status Refused(std::string_view message) {
  return LocalError(absl::StatusCode::kPermissionDenied, message);
}

// Used if no policy was given that could decide.
struct RefusalText {
  std::string_view operator()(const WriteAction& /*action*/) const {
    return "files may not be written here; show the change in your answer instead";
  }
  std::string_view operator()(const DeleteAction& /*action*/) const {
    return "files may not be deleted here; say in your answer which ones can go";
  }
  std::string_view operator()(const ShellAction& /*action*/) const {
    return "commands may not be run here; read, list and search files instead, and tell the user "
           "which command to run";
  }
  std::string_view operator()(const ShellInputAction& /*action*/) const {
    return "shells may not be given input here; tell the user what to type";
  }
};

// A policy that throws gives no permission, and its exception must not escape.
template <typename Policy, typename Action>
absl::Status Decide(const Policy& policy, const Action& action, const ActionContext& context) {
  try {
    return policy(action, context);
  } catch (...) {
    return Refused("the one who decides on actions failed; do not try this again");
  }
}

template <typename Policy, typename Action>
absl::Status Ask(const Policy& policy, const Action& action, const ActionContext& context) {
  absl::Status decision = Decide(policy, action, context);
  if (absl::Status status = CheckStop(context.stop); !status.ok()) return status;
  if (decision.ok()) return decision;
  if (decision.message().empty()) return Refused("this was not allowed; do something else");
  return Refused(ToUtf8(ToStd(decision.message())));
}

}  // namespace

absl::Status CheckStop(const std::stop_token& stop) {
  if (!stop.stop_requested()) return absl::OkStatus();
  return LocalError(absl::StatusCode::kCancelled, "stopped");
}

absl::Status AskPolicy(const ActionPolicy& policy, const LocalAction& action,
                       const ActionContext& context) {
  if (absl::Status status = CheckStop(context.stop); !status.ok()) return status;
  if (!policy) return Refused(std::visit(RefusalText{}, action));
  return Ask(policy, action, context);
}

absl::Status AskPolicy(const LookPolicy& policy, const LookAction& look,
                       const ActionContext& context) {
  if (absl::Status status = CheckStop(context.stop); !status.ok()) return status;
  return policy ? Ask(policy, look, context) : absl::OkStatus();
}

}  // namespace cursorwire::workspace
