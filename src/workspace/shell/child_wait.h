#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_WAIT_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_WAIT_H_

#include <optional>

#include "cursorwire/connect/time_point.h"
#include "process/child_process.h"
#include "workspace/shell/output_pipe.h"

namespace cursorwire::workspace {

// Waits for the next event of a command. The command is over when its shell has ended and nobody
// holds its outputs open, or 200 ms after the shell's end: processes that it left running may hold
// the outputs forever. Thread-compatible.
class ChildWait {
 public:
  // `child` must outlive this.
  explicit ChildWait(const process::ChildProcess& child) : child_(child) {}

  bool IsOver(connect::TimePoint now, const OutputPipe& out, const OutputPipe& err);
  // The result of the last IsOver().
  bool shell_ended() const { return drained_at_.has_value(); }
  // Returns when there is something to read, the shell has ended, `stop_fd` is readable, or at
  // `deadline`; it may return earlier. Must not be called once the command is over.
  void Poll(connect::TimePoint now, connect::TimePoint deadline, const OutputPipe& out,
            const OutputPipe& err, int stop_fd) const;

 private:
  const process::ChildProcess& child_;
  std::optional<connect::TimePoint> drained_at_;  // set once the shell has ended
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_CHILD_WAIT_H_
