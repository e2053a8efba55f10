#ifndef CURSORWIRE_SRC_MCP_SERVER_PROCESS_H_
#define CURSORWIRE_SRC_MCP_SERVER_PROCESS_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "cursorwire/mcp/server_config.h"
#include "mcp/transport.h"
#include "net/poller.h"
#include "process/child_process.h"
#include "process/running_commands.h"
#include "sandbox/enclosed_program.h"

namespace cursorwire::mcp {

// The process of one server: its pipes, and its end by steps. The destructor kills what is left.
class ServerProcess final : public Transport {
 public:
  // `environment` is that of the process. `running` must outlive it.
  //   kFailedPrecondition           it must have a sandbox, and there is none
  //   kNotFound, kPermissionDenied  there is no such folder or program, or none that may be run
  //   others                        as of ChildProcess::Start()
  static absl::StatusOr<std::unique_ptr<ServerProcess>> Start(
      const ServerConfig& config, const std::vector<std::string>& environment,
      process::RunningCommands& running);

  void Watch(net::Poller& poller, bool wants_output) override;
  // Reads standard error, too.
  void Handle(const net::Poller& poller) override;
  std::string ReadOutput() override;

  void Write(std::string_view bytes) override { input_ += bytes; }
  bool wants_input() const override { return input_.empty(); }
  // End of input, after a while SIGTERM, after another SIGKILL, for all processes that the server
  // has started.
  void Close(connect::TimePoint now) override;
  bool Advance(connect::TimePoint now) override;
  std::optional<connect::TimePoint> deadline() const override;

  bool at_end(connect::TimePoint now) const override;
  // How it ended, and the last line of its standard error.
  std::string ExitText() const override;

 private:
  enum class Phase { kRuns, kInputClosed, kTerminated, kGone };

  ServerProcess(sandbox::EnclosedProgram enclosed, std::unique_ptr<process::ChildProcess> child)
      : enclosed_(std::move(enclosed)), child_(std::move(child)) {}

  bool silent() const { return !output_open_ && !errors_open_; }
  void ReadErrors();
  void Flush();
  void DropInput();
  void EnterPhase(Phase phase, connect::TimePoint step_at);

  const sandbox::EnclosedProgram enclosed_;  // empty: it has none; before the child
  const std::unique_ptr<process::ChildProcess> child_;
  Phase phase_ = Phase::kRuns;
  std::optional<connect::TimePoint> step_at_;   // when the next step of the end is due
  std::optional<connect::TimePoint> drain_at_;  // set once the program itself has ended
  // Set once its output has ended: a program that ends does that a moment before.
  std::optional<connect::TimePoint> silent_at_;
  std::optional<process::ChildEnd> end_;
  std::string input_;   // what is to be written
  size_t written_ = 0;  // of it
  bool output_open_ = true;
  bool errors_open_ = true;
  std::string error_tail_;
  std::optional<size_t> input_index_;  // in the poller
  std::optional<size_t> errors_index_;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_SERVER_PROCESS_H_
