#include "agent/exec/run_execs.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <utility>

#include "agent/events/oneof_case.h"
#include "agent/exec/exec.h"
#include "agent/exec/stream_state.h"
#include "agent/tools/tool_exec.h"
#include "base/error.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// Limit of one answer, with all its messages. A tool result of the largest size fits.
constexpr size_t kMaxExecAnswerBytes = size_t{16} * 1024 * 1024;

// Limit of one tool call. Its arguments as JSON may be six times as large.
constexpr size_t kMaxCallBytes = size_t{8} * 1024 * 1024;

// True if the server sent the same exec twice.
bool IsSame(const pb::ExecServerMessage& a, const pb::ExecServerMessage& b) {
  return a.message_case() == b.message_case() && a.exec_id() == b.exec_id();
}

size_t BytesOf(const RunExecs::Messages& messages) {
  size_t bytes = 0;
  for (const pb::AgentClientMessage& message : messages) bytes += message.ByteSizeLong();
  return bytes;
}

bool AsksForResources(const pb::ExecServerMessage& exec) {
  return exec.has_list_mcp_resources_exec_args() || exec.has_read_mcp_resource_exec_args();
}

// `uuid` with its last digits replaced by the exec's id.
std::string VariantOf(const std::string& uuid, uint32_t id) {
  constexpr size_t kDigits = 8;
  const std::string digits = absl::StrFormat("%08x", id);
  return uuid.size() < kDigits ? digits : uuid.substr(0, uuid.size() - kDigits) + digits;
}

// The answer or, if that is too large, a failure that says so.
RunExecs::Messages BoundedAnswer(const PendingExec& pending,
                                 const absl::StatusOr<ExecOutput>& output) {
  const StreamState state = pending.started ? StreamState::kStarted : StreamState::kNew;
  RunExecs::Messages answer = AnswerExec(pending.exec, output, state);
  const size_t bytes = BytesOf(answer);
  if (bytes <= kMaxExecAnswerBytes) return answer;
  return AnswerExec(pending.exec,
                    LocalError(absl::StatusCode::kOutOfRange,
                               absl::StrCat("the result of ", bytes, " bytes is too large")),
                    state);
}

}  // namespace

std::optional<ExecArgs> RunExecs::ArgsFor(const pb::ExecServerMessage& exec) const {
  if (exec.has_mcp_args()) {
    std::optional<std::string> name = tools_.Find(exec.mcp_args());
    if (!name) return std::nullopt;
    return ToToolCall(exec.mcp_args(), *std::move(name), VariantOf(options_.uuid, exec.id()));
  }
  const bool hand_out =
      options_.hand_out || (options_.hand_out_resources && AsksForResources(exec));
  return hand_out ? ToExecArgs(exec) : std::nullopt;
}

absl::StatusOr<bool> RunExecs::IsNew(const pb::ExecServerMessage& exec) {
  if (const PendingExec* former = pending_.Find(exec.id()); former != nullptr) {
    if (IsSame(former->exec, exec)) return false;
    return ProtocolError(absl::StrCat("exec ", exec.id(), " came while another of that id waits"));
  }
  return !answered_.contains(exec.id(), AnsweredExecs::FingerprintOf(exec));
}

absl::StatusOr<std::optional<ExecRefusal>> RunExecs::OnLate(const pb::ExecServerMessage& exec) {
  const absl::StatusOr<bool> is_new = IsNew(exec);
  if (!is_new.ok()) return is_new.status();
  return *is_new ? std::optional(Refuse(exec)) : std::nullopt;
}

absl::StatusOr<std::optional<ExecRefusal>> RunExecs::On(const pb::ExecServerMessage& exec,
                                                        connect::TimePoint now) {
  const absl::StatusOr<bool> is_new = IsNew(exec);
  if (!is_new.ok()) return is_new.status();
  if (!*is_new) return std::nullopt;
  if (exec.has_mcp_args() && exec.ByteSizeLong() > kMaxCallBytes) {
    return Refuse(exec, LocalError(absl::StatusCode::kOutOfRange,
                                   "the arguments are too large: give less at a time"));
  }
  std::optional<ExecArgs> args = ArgsFor(exec);
  if (!args) return Refuse(exec, options_.hand_out ? CheckServed(exec) : absl::OkStatus());
  if (absl::Status status = pending_.Add(exec, *std::move(args)); !status.ok()) {
    return Refuse(exec, std::move(status));
  }
  if (!next_heartbeat_ && options_.heartbeat_interval.count() > 0) {
    next_heartbeat_ = connect::After(now, options_.heartbeat_interval);
  }
  return std::nullopt;
}

ExecRefusal RunExecs::Refuse(const pb::ExecServerMessage& exec, absl::Status why) {
  return {.exec = WithoutContents(exec).SerializeAsString(), .why = std::move(why)};
}

RunExecs::Messages RunExecs::Answer(const ExecRefusal& refusal) const {
  pb::ExecServerMessage exec;
  exec.ParseFromString(refusal.exec);
  if (!refusal.why.ok()) return AnswerExec(exec, refusal.why);
  const bool is_state = exec.has_mcp_state_exec_args() && tools_.has_servers();
  return is_state ? AnswerMcpState(exec, tools_) : RefuseExec(exec, tools_);
}

void RunExecs::Abort(uint32_t id) {
  pending_.Take(id);
  if (pending_.empty()) next_heartbeat_.reset();
}

RunExecs::Messages RunExecs::Answer(uint32_t id, const absl::StatusOr<ExecOutput>& output) {
  std::optional<PendingExec> pending = pending_.Take(id);
  if (!pending) return {};
  answered_.Add(id, pending->fingerprint);
  if (pending_.empty()) next_heartbeat_.reset();
  return pending->started ? EndStream(*pending, output) : BoundedAnswer(*pending, output);
}

RunExecs::Messages RunExecs::EndStream(PendingExec& pending,
                                       const absl::StatusOr<ExecOutput>& output) {
  const auto* shell = output.ok() ? std::get_if<ShellOutput>(&*output) : nullptr;
  if (shell != nullptr) {
    ShellOutput rest = *shell;
    rest.out = pending.out.Last(rest.out);
    rest.err = pending.err.Last(rest.err);
    return BoundedAnswer(pending, absl::StatusOr<ExecOutput>(std::move(rest)));
  }
  Messages messages =
      ShellPieces(pending.exec, pending.out.Last(""), pending.err.Last(""), StreamState::kStarted);
  for (pb::AgentClientMessage& answer : BoundedAnswer(pending, output)) {
    messages.push_back(std::move(answer));
  }
  return messages;
}

RunExecs::Messages RunExecs::AddShellOutput(uint32_t id, std::string_view out, std::string_view err,
                                            const std::optional<SandboxPolicy>& sandbox) {
  PendingExec* pending = pending_.Find(id);
  if (pending == nullptr || !pending->exec.has_shell_stream_args()) return {};
  const StreamState state =
      std::exchange(pending->started, true) ? StreamState::kStarted : StreamState::kNew;
  return ShellPieces(pending->exec, pending->out.Next(out), pending->err.Next(err), state, sandbox);
}

std::string RunExecs::DescribeFirst() const {
  const auto& [id, pending] = *pending_.waiting().begin();
  return absl::StrCat("exec ", id, " (", OneofCase(pending.exec, "message"), ")");
}

void RunExecs::Clear() {
  pending_.Clear();
  next_heartbeat_.reset();
}

RunExecs::Messages RunExecs::Heartbeats(connect::TimePoint now) {
  Messages messages;
  for (const auto& entry : pending_.waiting()) {
    messages.emplace_back().mutable_exec_client_control_message()->mutable_heartbeat()->set_id(
        entry.first);
  }
  next_heartbeat_ = connect::After(now, options_.heartbeat_interval);
  return messages;
}

}  // namespace cursorwire::agent
