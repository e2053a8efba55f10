#ifndef CURSORWIRE_SRC_AGENT_EXEC_RUN_EXECS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_RUN_EXECS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/exec/answered_execs.h"
#include "agent/exec/pending_execs.h"
#include "agent/tools/tool_offer.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/connect/time_point.h"
#include "cursorwire/exec.h"
#include "cursorwire/run_options.h"

namespace cursorwire::agent {

struct RunExecsOptions {
  bool hand_out = false;
  bool hand_out_resources = false;                  // of servers, in any case
  std::chrono::milliseconds heartbeat_interval{0};  // 0: no heartbeats
  // A UUID from which ids are made for tool calls that have no id.
  std::string uuid{};
};

// A refusal that needs no handler, or the answer to a question about the offer. It is small, and
// its messages are made only when they can be sent: a few bytes from the server must not make us
// hold many answers.
struct ExecRefusal {
  std::string exec{};  // serialized, without contents
  absl::Status why{};  // OK: this client does not do execs of this kind
};

// The execs of one run: which of them a handler does, and the messages that answer them. Each exec
// is answered once, unless the server aborts it. Reads no clock. Thread-compatible.
class RunExecs {
 public:
  using Messages = std::vector<::agent::v1::AgentClientMessage>;

  // `tools` must outlive this object.
  RunExecs(const ToolOffer& tools, RunExecsOptions options)
      : tools_(tools), options_(std::move(options)) {}

  // Takes any exec except request_context_args. Returns a refusal if no handler is to do the exec;
  // of mcp_state_exec_args, that is answered from the tools.
  // An exec that is sent again is ignored, even after its answer.
  //   kInternal  an exec with this id waits, but it is a different one: no answer would be right
  absl::StatusOr<std::optional<ExecRefusal>> On(const ::agent::v1::ExecServerMessage& exec,
                                                connect::TimePoint now);
  // The same after the end of the turn: every new exec is refused.
  absl::StatusOr<std::optional<ExecRefusal>> OnLate(const ::agent::v1::ExecServerMessage& exec);
  // The messages to send for a refusal; never empty.
  Messages Answer(const ExecRefusal& refusal) const;
  // The server no longer wants an answer.
  void Abort(uint32_t id);

  std::optional<ExecRequest> Poll() { return pending_.Poll(); }
  // No messages if no exec with this id waits.
  Messages Answer(uint32_t id, const absl::StatusOr<ExecOutput>& output);
  // No messages if no exec with this id waits, or if it is not a shell stream.
  Messages AddShellOutput(uint32_t id, std::string_view out, std::string_view err,
                          const std::optional<SandboxPolicy>& sandbox = std::nullopt);

  bool contains(uint32_t id) const { return pending_.contains(id); }
  bool empty() const { return pending_.empty(); }
  // Describes the exec with the lowest id, as in "exec 7 (mcp_args)". Must not be empty().
  std::string DescribeFirst() const;
  void Clear();

  // When Heartbeats() is due.
  std::optional<connect::TimePoint> next_heartbeat() const { return next_heartbeat_; }
  // One heartbeat for each waiting exec; the next ones are due an interval later.
  Messages Heartbeats(connect::TimePoint now);

 private:
  // False: the exec is waiting or was answered.
  absl::StatusOr<bool> IsNew(const ::agent::v1::ExecServerMessage& exec);
  // `why`: as in ExecRefusal.
  static ExecRefusal Refuse(const ::agent::v1::ExecServerMessage& exec, absl::Status why = {});
  // Ends a stream that has started, including the bytes that were held back.
  static Messages EndStream(PendingExec& pending, const absl::StatusOr<ExecOutput>& output);
  std::optional<ExecArgs> ArgsFor(const ::agent::v1::ExecServerMessage& exec) const;

  const ToolOffer& tools_;
  const RunExecsOptions options_;
  PendingExecs pending_;
  AnsweredExecs answered_;
  std::optional<connect::TimePoint> next_heartbeat_;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_RUN_EXECS_H_
