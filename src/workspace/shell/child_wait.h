#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_WAIT_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_WAIT_H_

#include <optional>

#include "cursorwire/connect/time_point.h"
#include "workspace/shell/child_process.h"
#include "workspace/shell/output_pipe.h"

namespace cursorwire::workspace {

// Waits for what happens next to a command. It is over when its shell has ended and nobody holds
// its outputs any more, or 200 ms after its shell: what that has left running may hold them for
// ever. Thread-compatible.
class ChildWait {
 public:
  // `child` must outlive this.
  explicit ChildWait(const ChildProcess& child) : child_(child) {}

  bool IsOver(connect::TimePoint now, const OutputPipe& out, const OutputPipe& err);
  // As of the last IsOver().
  bool shell_ended() const { return drained_at_.has_value(); }
  // Returns when there is something to read, the shell has ended, `stop_fd` can be read, or at
  // `deadline`; also earlier. Not called when it is over.
  void Poll(connect::TimePoint now, connect::TimePoint deadline, const OutputPipe& out,
            const OutputPipe& err, int stop_fd) const;

 private:
  const ChildProcess& child_;
  std::optional<connect::TimePoint> drained_at_;  // once the shell has ended
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_WAIT_H_
