#include "agent/exec/exec.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "agent/exec/exec_kinds.h"
#include "agent/exec/shell_exec.h"
#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using ClientMessages = std::vector<pb::AgentClientMessage>;

constexpr char kRefusal[] = "This client does not allow actions on the user's machine.";
constexpr char kUnknownKind[] = "This client does not know this kind of action.";

// `text`, followed by the tools that the model may use instead.
std::string WithHint(const char* text, const ToolOffer& offer) {
  return offer.empty() ? text : absl::StrCat(text, " ", offer.Hint());
}

ClientMessages Close(const pb::ExecServerMessage& exec, ClientMessages answers) {
  answers.emplace_back().mutable_exec_client_control_message()->mutable_stream_close()->set_id(
      exec.id());
  return answers;
}

// Answers that leave the exec open.
ClientMessages Part(const pb::ExecServerMessage& exec, ExecResults results) {
  ClientMessages answers;
  for (pb::ExecClientMessage& result : results) {
    result.set_id(exec.id());
    result.set_exec_id(exec.exec_id());
    *answers.emplace_back().mutable_exec_client_message() = std::move(result);
  }
  return answers;
}

ClientMessages CloseWith(const pb::ExecServerMessage& exec, ExecResults results) {
  return Close(exec, Part(exec, std::move(results)));
}

ClientMessages Throw(const pb::ExecServerMessage& exec, const std::string& error) {
  ClientMessages answers(1);
  pb::ExecClientThrow& refusal =
      *answers[0].mutable_exec_client_control_message()->mutable_throw_();
  refusal.set_id(exec.id());
  refusal.set_error(error);
  return Close(exec, std::move(answers));
}

// Empty if this kind has no result type.
ExecResults Fail(const pb::ExecServerMessage& exec, const absl::Status& status, StreamState state) {
  const ExecKind* kind = FindExecKind(exec.message_case());
  if (kind == nullptr) return {};
  return kind->fail(exec, {.code = status.code(), .text = ToUtf8(std::string(status.message()))},
                    state);
}

ExecResults Succeed(const pb::ExecServerMessage& exec, const ExecOutput& output,
                    StreamState state) {
  const ExecKind* kind = FindExecKind(exec.message_case());
  return kind == nullptr ? ExecResults() : kind->succeed(exec, output, state);
}

}  // namespace

std::optional<ExecArgs> ToExecArgs(const pb::ExecServerMessage& exec) {
  const ExecKind* kind = FindExecKind(exec.message_case());
  if (kind == nullptr || kind->to_args == nullptr) return std::nullopt;
  return kind->to_args(exec);
}

absl::Status Refusal(std::string_view action) {
  return LocalError(absl::StatusCode::kPermissionDenied,
                    absl::StrCat("This client does not allow ", ToAbsl(action),
                                 ". Use another tool, or answer without it."));
}

absl::Status CheckServed(const pb::ExecServerMessage& exec) {
  const ExecKind* kind = FindExecKind(exec.message_case());
  const bool served = kind == nullptr || kind->not_served == nullptr;
  return served ? absl::OkStatus() : Refusal(kind->not_served);
}

ClientMessages AnswerExec(const pb::ExecServerMessage& exec,
                          const absl::StatusOr<ExecOutput>& output, StreamState state) {
  ExecResults results =
      output.ok() ? Succeed(exec, *output, state) : Fail(exec, output.status(), state);
  if (results.empty()) return Throw(exec, "This client has no answer to this kind of action.");
  return CloseWith(exec, std::move(results));
}

ClientMessages ShellPieces(const pb::ExecServerMessage& exec, std::string_view out,
                           std::string_view err, StreamState state,
                           const std::optional<SandboxPolicy>& sandbox) {
  return Part(exec, ShellStreamOutput(out, err, state, sandbox));
}

ClientMessages AnswerRequestContext(const pb::ExecServerMessage& exec,
                                    const pb::RequestContext& context) {
  ExecResults results(1);
  *results[0].mutable_request_context_result()->mutable_success()->mutable_request_context() =
      context;
  return CloseWith(exec, std::move(results));
}

ClientMessages AnswerMcpState(const pb::ExecServerMessage& exec, const ToolOffer& offer) {
  ExecResults results(1);
  *results[0].mutable_mcp_state_exec_result()->mutable_success() = offer.State();
  return CloseWith(exec, std::move(results));
}

ClientMessages RefuseExec(const pb::ExecServerMessage& exec, const ToolOffer& offer) {
  if (exec.has_mcp_args()) {
    ExecResults results(1);
    *results[0].mutable_mcp_result() = offer.NotFound(exec.mcp_args());
    return CloseWith(exec, std::move(results));
  }
  ExecResults results =
      Fail(exec, LocalError(absl::StatusCode::kPermissionDenied, WithHint(kRefusal, offer)),
           StreamState::kNew);
  if (results.empty()) return Throw(exec, WithHint(kUnknownKind, offer));
  return CloseWith(exec, std::move(results));
}

ClientMessages RefuseExec(const pb::ExecServerMessage& exec) {
  return RefuseExec(exec, ToolOffer(ToolRegistry()));
}

}  // namespace cursorwire::agent
