#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_BACKGROUND_SHELL_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_BACKGROUND_SHELL_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "cursorwire/connect/time_point.h"
#include "process/stop_event.h"
#include "workspace/shell/output_log.h"
#include "workspace/shell/started_command.h"

namespace cursorwire::workspace {

// A command in the background. A thread of its own reads and keeps the command's output, so that
// the command is never blocked. Thread-safe.
class BackgroundShell {
 public:
  // Takes over a running command. The command is killed at `deadline`, or if this fails.
  //   kUnavailable  the system cannot start another thread
  //   others        as of process::StopEvent::Create()
  static absl::StatusOr<std::unique_ptr<BackgroundShell>> Adopt(
      std::string command, std::unique_ptr<StartedCommand> started, std::unique_ptr<OutputLog> log,
      connect::TimePoint deadline);
  // Kills the command.
  ~BackgroundShell();

  const std::string& command() const { return command_; }
  pid_t pid() const { return started_->pid(); }
  bool sandboxed() const { return started_->sandboxed(); }
  bool ended() const { return ended_; }
  uint64_t output_bytes() const { return output_bytes_; }
  // Begins to kill the command; the destructor waits for that.
  void Stop() { stop_.request_stop(); }

  // Returns once the shell has read everything.
  //   kNotFound          the shell has ended, or has closed its input
  //   kDeadlineExceeded  the shell did not read everything within `time`
  //   kAborted           another thread is writing
  absl::Status Write(std::string_view chars, std::chrono::milliseconds time, std::stop_token stop);

 private:
  BackgroundShell(std::string command, std::unique_ptr<StartedCommand> started,
                  std::unique_ptr<OutputLog> log, connect::TimePoint deadline,
                  std::unique_ptr<process::StopEvent> stopped, std::stop_source stop);

  // Runs on the thread.
  void Read();
  absl::Status WriteSome(std::string_view& chars);

  const std::string command_;
  std::stop_source stop_;
  const std::unique_ptr<process::StopEvent> stopped_;
  const std::unique_ptr<StartedCommand> started_;
  const std::unique_ptr<OutputLog> log_;  // used by the thread
  const connect::TimePoint deadline_;
  std::mutex input_mutex_;  // keeps writes to the input in order
  std::atomic<uint64_t> output_bytes_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_BACKGROUND_SHELL_H_
