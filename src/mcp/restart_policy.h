#ifndef CURSORWIRE_SRC_MCP_RESTART_POLICY_H_
#define CURSORWIRE_SRC_MCP_RESTART_POLICY_H_

#include <absl/status/status.h>

#include <cstddef>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::mcp {

// Decides whether a server that has ended may be started again: at once, then after pauses that
// double, and after a few in a row not any more. One that ran for a while starts afresh.
// Thread-compatible.
class RestartPolicy {
 public:
  void OnStart(connect::TimePoint now) { started_at_ = now; }
  void OnEnd(connect::TimePoint now);
  // OK: it may be started now.
  //   kUnavailable  not yet, or not any more; the message says which
  absl::Status Check(connect::TimePoint now) const;

 private:
  connect::TimePoint started_at_{};
  connect::TimePoint next_at_{};
  size_t ends_ = 0;  // in a row
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_RESTART_POLICY_H_
