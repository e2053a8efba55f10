#include "sandbox/sandboxed_command.h"

#include <absl/status/status.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/start_thread.h"
#include "sandbox/bwrap_call.h"
#include "sandbox/expected_mounts.h"
#include "sandbox/mount_check.h"

namespace cursorwire::sandbox {
namespace {

std::string_view VariableName(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

class BwrapCommand : public SandboxedCommand {
 public:
  BwrapCommand(BwrapCall call, ExpectedMounts mounts, Appeared appeared)
      : call_(std::move(call)), mounts_(std::move(mounts)), appeared_(std::move(appeared)) {}

  const process::Program& program() const override { return call_.program(); }

  absl::Status Admit() override {
    call_.status().CloseWriteEnd();  // so that the pipe ends if bubblewrap does
    const absl::StatusOr<MountsState> state = AwaitMounts(call_.status(), mounts_);
    if (!state.ok()) return state.status();
    return *state == MountsState::kEnded ? absl::OkStatus() : call_.LetRun();
  }

  // bubblewrap tells it some milliseconds after its start.
  pid_t pid() override {
    using std::chrono::steady_clock;
    constexpr std::chrono::seconds kPatience{1};
    StatusPipe& status = call_.status();
    status.CloseWriteEnd();  // so that the pipe ends if bubblewrap does
    const steady_clock::time_point deadline = steady_clock::now() + kPatience;
    while (status.Read() && status.status().child_pid == 0) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
      pollfd wait{.fd = status.read_end(), .events = POLLIN, .revents = 0};
      if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) == 0) break;
    }
    return status.status().child_pid;
  }

  SandboxEnd Finish() override {
    SandboxEnd end;
    if (!call_.WasSetUp()) {
      end.setup = LocalError(absl::StatusCode::kUnavailable,
                             "the sandbox could not be set up, so the command did not run; its "
                             "error output says why");
    }
    end.appeared = appeared_.After();
    return end;
  }

 private:
  BwrapCall call_;
  const ExpectedMounts mounts_;
  Appeared appeared_;
};

class LandlockCommand : public SandboxedCommand {
 public:
  LandlockCommand(process::Program program, Appeared appeared)
      : program_(std::move(program)), appeared_(std::move(appeared)) {}

  const process::Program& program() const override { return program_; }
  absl::Status Admit() override { return absl::OkStatus(); }
  pid_t pid() override { return 0; }
  // What cannot be set up is an error of the start already.
  SandboxEnd Finish() override { return {.appeared = appeared_.After()}; }

 private:
  const process::Program program_;
  Appeared appeared_;
};

// Calls `spawn` on a thread that has only the rights of `options`. The process inherits them.
absl::Status SpawnRestricted(const LandlockOptions& options, const std::function<void()>& spawn) {
  absl::Status status;
  std::thread thread;
  const bool started = StartThread(thread, [&] {
    status = RestrictThread(options);
    if (status.ok()) spawn();
  });
  if (!started) {
    return LocalError(absl::StatusCode::kUnavailable, "the system starts no more threads");
  }
  thread.join();
  return status;
}

}  // namespace

std::vector<std::string> InsideEnvironment(std::vector<std::string> variables, const Plan& plan) {
  std::erase_if(variables, [&plan](const std::string& variable) {
    const std::string_view name = VariableName(variable);
    const auto is_set = [name](const std::string& set) { return VariableName(set) == name; };
    return std::any_of(plan.environment.begin(), plan.environment.end(), is_set) ||
           std::find(plan.removed_variables.begin(), plan.removed_variables.end(), name) !=
               plan.removed_variables.end();
  });
  variables.insert(variables.end(), plan.environment.begin(), plan.environment.end());
  return variables;
}

absl::StatusOr<std::unique_ptr<SandboxedCommand>> MakeBwrapCommand(
    const BwrapCommandOptions& options, process::Program program, Appeared appeared,
    SpawnThread& thread) {
  program.environment = InsideEnvironment(std::move(program.environment), options.plan);
  absl::StatusOr<BwrapCall> call = BwrapCall::Make(
      {.bwrap = options.bwrap, .arguments = options.plan.bwrap_arguments, .filter = options.filter},
      std::move(program));
  if (!call.ok()) return call.status();
  call->program().run_spawn = [&thread](const std::function<void()>& spawn) {
    thread.Run(spawn);
    return absl::OkStatus();
  };
  return std::make_unique<BwrapCommand>(*std::move(call), options.plan.mounts, std::move(appeared));
}

std::unique_ptr<SandboxedCommand> MakeLandlockCommand(LandlockOptions options,
                                                      process::Program program, Appeared appeared) {
  program.run_spawn = [options = std::move(options)](const std::function<void()>& spawn) {
    return SpawnRestricted(options, spawn);
  };
  return std::make_unique<LandlockCommand>(std::move(program), std::move(appeared));
}

}  // namespace cursorwire::sandbox
