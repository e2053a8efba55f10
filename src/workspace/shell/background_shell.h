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
#include "workspace/shell/child_process.h"
#include "workspace/shell/output_log.h"
#include "workspace/shell/stop_event.h"

namespace cursorwire::workspace {

// A command that goes on by itself. A thread of its own reads what it prints, so that it is never
// blocked, and keeps it. Thread-safe.
class BackgroundShell {
 public:
  // For a command that runs; it is killed at `deadline`, and if this fails.
  //   kUnavailable  the system starts no more threads
  //   others        as of StopEvent::Create()
  static absl::StatusOr<std::unique_ptr<BackgroundShell>> Adopt(std::string command,
                                                                std::unique_ptr<ChildProcess> child,
                                                                std::unique_ptr<OutputLog> log,
                                                                connect::TimePoint deadline);
  // Kills it.
  ~BackgroundShell();

  const std::string& command() const { return command_; }
  pid_t pid() const { return child_->pid(); }
  bool ended() const { return ended_; }
  uint64_t output_bytes() const { return output_bytes_; }
  // Begins to kill it; the destructor waits for that.
  void Stop() { stop_.request_stop(); }

  // Returns when the shell has taken all.
  //   kNotFound          it has ended, or has closed its input
  //   kDeadlineExceeded  it did not take all within `time`
  //   kAborted           another thread writes
  absl::Status Write(std::string_view chars, std::chrono::milliseconds time, std::stop_token stop);

 private:
  BackgroundShell(std::string command, std::unique_ptr<ChildProcess> child,
                  std::unique_ptr<OutputLog> log, connect::TimePoint deadline,
                  std::unique_ptr<StopEvent> stopped, std::stop_source stop);

  // The thread.
  void Read();
  absl::Status WriteSome(std::string_view& chars);

  const std::string command_;
  std::stop_source stop_;
  const std::unique_ptr<StopEvent> stopped_;
  const std::unique_ptr<ChildProcess> child_;
  const std::unique_ptr<OutputLog> log_;  // of the thread
  const connect::TimePoint deadline_;
  std::mutex input_mutex_;  // of the order of the input
  std::atomic<uint64_t> output_bytes_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_BACKGROUND_SHELL_H_
