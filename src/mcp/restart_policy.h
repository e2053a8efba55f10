#ifndef CURSORWIRE_SRC_MCP_RESTART_POLICY_H_
#define CURSORWIRE_SRC_MCP_RESTART_POLICY_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <optional>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::mcp {

// As in ServerConfig.
struct RestartPauses {
  std::chrono::milliseconds first{};
  std::chrono::milliseconds longest{};
};

// Decides when a server that has ended, or did not start, may be started again: at once for what
// needs it, then after pauses that double up to the longest. One that ran for a while begins with
// the first pause again. Thread-compatible.
class RestartPolicy {
 public:
  explicit RestartPolicy(RestartPauses pauses) : pauses_(pauses) {}

  void OnStart(connect::TimePoint now) { started_at_ = now; }
  void OnEnd(connect::TimePoint now);
  // OK: a call may start it now.
  //   kUnavailable  not yet; the message says when
  absl::Status Check(connect::TimePoint now) const;
  // When it is to be started though nobody calls it, since it offers nothing that could be called.
  connect::TimePoint next_try() const { return next_try_at_; }
  // Whether a turn that begins may start it now, whatever the pause: at most once in each first
  // pause. True counts as such a start.
  bool TakeTurnTry(connect::TimePoint now);

 private:
  const RestartPauses pauses_;
  connect::TimePoint started_at_{};
  connect::TimePoint next_at_{};
  connect::TimePoint next_try_at_{};
  std::optional<connect::TimePoint> turn_tried_at_;
  size_t ends_ = 0;  // in a row
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_RESTART_POLICY_H_
