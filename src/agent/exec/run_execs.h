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
  std::chrono::milliseconds heartbeat_interval{0};  // 0: no heartbeats
  // A UUID, of which others are made for calls that came without an id.
  std::string uuid{};
};

// An exec that is answered without the host. Small: a few bytes of the server must not make us hold
// many answers, which are made when they can be sent.
struct ExecRefusal {
  std::string exec{};  // serialized, without contents
  absl::Status why{};  // OK: nobody does execs of its kind
};

// The execs of one run: which of them the host does, and the messages that answer them. Each exec
// is answered once, unless the server gives it up. Reads no clock. Thread-compatible.
class RunExecs {
 public:
  using Messages = std::vector<::agent::v1::AgentClientMessage>;

  // `tools` must live as long.
  RunExecs(const ToolOffer& tools, RunExecsOptions options)
      : tools_(tools), options_(std::move(options)) {}

  // Any exec but request_context_args. Returns a refusal where the host has nothing to do. The same
  // exec once more is ignored, also after its answer.
  //   kInternal  another one has the id of one that waits: no answer would be right
  absl::StatusOr<std::optional<ExecRefusal>> On(const ::agent::v1::ExecServerMessage& exec,
                                                connect::TimePoint now);
  // The same behind the end of the turn: the host does nothing any more.
  absl::StatusOr<std::optional<ExecRefusal>> OnLate(const ::agent::v1::ExecServerMessage& exec);
  // What is sent for it; never empty.
  Messages Answer(const ExecRefusal& refusal) const;
  // The server wants no answer any more.
  void Abort(uint32_t id);

  std::optional<ExecRequest> Poll() { return pending_.Poll(); }
  // No messages if nobody waits for it.
  Messages Answer(uint32_t id, const absl::StatusOr<ExecOutput>& output);
  // No messages if nobody waits for it, or it is no shell stream.
  Messages AddShellOutput(uint32_t id, std::string_view out, std::string_view err);

  bool contains(uint32_t id) const { return pending_.contains(id); }
  bool empty() const { return pending_.empty(); }
  // The one with the lowest id in words, such as "exec 7 (mcp_args)"; there must be one.
  std::string DescribeFirst() const;
  void Clear();

  // When Heartbeats() is due.
  std::optional<connect::TimePoint> next_heartbeat() const { return next_heartbeat_; }
  // A sign of life of each exec that waits; the next are due an interval later.
  Messages Heartbeats(connect::TimePoint now);

 private:
  // False: it waits for its answer, or had it.
  absl::StatusOr<bool> IsNew(const ::agent::v1::ExecServerMessage& exec);
  // `why`: as in ExecRefusal.
  static ExecRefusal Refuse(const ::agent::v1::ExecServerMessage& exec, absl::Status why = {});
  // The answer of a stream that has started, with what of its pieces was held back.
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
