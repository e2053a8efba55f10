#include "acp/permissions.h"

#include <utility>

namespace cursor_acp {
namespace {

// The words of the vendor's own agent, since some editors answer with them whatever was offered.
// Source: the vendor's page on this protocol.
constexpr char kAllowOnce[] = "allow-once";
constexpr char kAllowAlways[] = "allow-always";
constexpr char kRejectOnce[] = "reject-once";

Json Option(const char* id, const char* name, const char* kind) {
  return {{"optionId", id}, {"name", name}, {"kind", kind}};
}

Json Options(bool with_always) {
  Json options = Json::array({Option(kAllowOnce, "Allow", "allow_once")});
  if (with_always) {
    options.push_back(Option(kAllowAlways, "Allow for this session", "allow_always"));
  }
  options.push_back(Option(kRejectOnce, "Reject", "reject_once"));
  return options;
}

absl::Status No() {
  return absl::PermissionDeniedError(
      "the user was asked and said no; do not try it in another way, ask what to do");
}

}  // namespace

Permissions::Permissions(Editor& editor, std::string session_id, std::chrono::milliseconds max_time)
    : editor_(editor), session_id_(std::move(session_id)), max_time_(max_time) {}

bool Permissions::IsAlwaysAllowed(const Scope& scope) {
  const std::lock_guard lock(mutex_);
  return !scope.empty() && always_.contains(scope);
}

absl::Status Permissions::Ask(Json tool_call, const Scope& scope, const std::stop_token& stop) {
  if (IsAlwaysAllowed(scope)) return absl::OkStatus();
  const absl::StatusOr<Json> answer = editor_.Call("session/request_permission",
                                                   {{"sessionId", session_id_},
                                                    {"toolCall", std::move(tool_call)},
                                                    {"options", Options(!scope.empty())}},
                                                   max_time_, stop);
  if (answer.ok()) return Decide(*answer, scope);
  if (absl::IsCancelled(answer.status())) return answer.status();
  return absl::PermissionDeniedError("the user could not be asked: " +
                                     std::string(answer.status().message()));
}

absl::Status Permissions::Decide(const Json& answer, const Scope& scope) {
  const Json& outcome = MemberOf(answer, "outcome");
  if (TextOf(outcome, "outcome") != "selected") return No();
  const std::string option = TextOf(outcome, "optionId");
  if (option == kAllowOnce) return absl::OkStatus();
  if (option != kAllowAlways || scope.empty()) return No();
  const std::lock_guard lock(mutex_);
  always_.insert(scope);
  return absl::OkStatus();
}

}  // namespace cursor_acp
