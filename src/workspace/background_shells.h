#ifndef CURSORWIRE_SRC_WORKSPACE_BACKGROUND_SHELLS_H_
#define CURSORWIRE_SRC_WORKSPACE_BACKGROUND_SHELLS_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "cursorwire/exec.h"
#include "cursorwire/local_exec_handler.h"
#include "workspace/background_shell.h"
#include "workspace/running_commands.h"
#include "workspace/workspace.h"

namespace cursorwire::workspace {

// The background shells of one handler, by number: 1, 2, ... Those that have ended are forgotten
// when the next one is started. Thread-safe.
class BackgroundShells {
 public:
  // `running` must outlive this.
  explicit BackgroundShells(RunningCommands& running) : running_(running) {}
  // Kills them all.
  ~BackgroundShells();

  // LocalExecHandler::BackgroundShell().
  absl::StatusOr<BackgroundShellOutput> Start(const Workspace& workspace,
                                              const LocalExecOptions& options,
                                              const std::vector<std::string>& environment,
                                              const BackgroundShellArgs& args,
                                              std::stop_token stop);
  // LocalExecHandler::WriteShellStdin().
  absl::StatusOr<WriteShellStdinOutput> Write(const LocalExecOptions& options,
                                              const WriteShellStdinArgs& args,
                                              std::stop_token stop);

 private:
  // Shared with those that write to it: it may be forgotten meanwhile.
  using Shell = std::shared_ptr<BackgroundShell>;

  void ForgetEnded();
  // Of a caller that holds the lock.
  absl::Status CheckRoom(size_t max_shells) const;
  // nullptr if it has ended, or never was.
  Shell Find(uint32_t id) const;
  absl::StatusOr<BackgroundShellOutput> Launch(const ShellCommand& command, size_t max_shells);

  RunningCommands& running_;
  mutable std::mutex mutex_;
  std::map<uint32_t, Shell> shells_;  // guarded by mutex_
  uint32_t last_id_ = 0;              // guarded by mutex_
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_BACKGROUND_SHELLS_H_
