#ifndef CURSORWIRE_SRC_SANDBOX_STATUS_PIPE_H_
#define CURSORWIRE_SRC_SANDBOX_STATUS_PIPE_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "process/pipe.h"

namespace cursorwire::sandbox {

// What bubblewrap writes to --json-status-fd: a JSON object with "child-pid" at the start, one with
// "exit-code" at the end, but for a command that it did not start.
struct BwrapStatus {
  pid_t child_pid = 0;  // 0: not told
  std::optional<int32_t> exit_code{};
};

// Never fails: what cannot be read was not told.
BwrapStatus ParseBwrapStatus(std::string_view text);

// The pipe for it. Thread-compatible.
class StatusPipe {
 public:
  //   kUnknown  no file descriptor is left
  static absl::StatusOr<StatusPipe> Make();

  // What bubblewrap is to get; ours is closed by CloseWriteEnd(), after which the pipe ends with
  // bubblewrap.
  int write_end() const { return pipe_.write_end.get(); }
  int read_end() const { return pipe_.read_end.get(); }
  void CloseWriteEnd() { pipe_.write_end.Reset(); }
  // Reads what is there, without waiting. False: nothing will come any more. More than 64 KiB are
  // passed by.
  bool Read();
  BwrapStatus status() const { return ParseBwrapStatus(text_); }

 private:
  process::Pipe pipe_{};
  std::string text_;
};

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_STATUS_PIPE_H_
