#ifndef CURSORWIRE_TESTS_SANDBOX_SANDBOX_FIXTURE_H_
#define CURSORWIRE_TESTS_SANDBOX_SANDBOX_FIXTURE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/sandbox.h"
#include "process/child_process.h"
#include "process/running_commands.h"
#include "sandbox/sandbox.h"
#include "support/scratch_folder.h"

namespace cursorwire::test {

// What came of one command. If `status` is not OK it was not started, and the rest is empty.
struct SandboxRun {
  absl::Status status{};
  int32_t exit_code = -1;
  std::string signal{};
  std::string out{};
  std::string err{};
  sandbox::SandboxEnd end{};
};

// One line with all of it, for the messages of tests.
std::string Text(const SandboxRun& run);

// Reads both outputs to their end, waits for the end of the program and of all it has started.
// After a minute it is killed, which is a failure of the test. In place of Kill().
SandboxRun ReadToEnd(process::ChildProcess& child);

// A command that has been started. The sandbox must outlive it.
class StartedCommand {
 public:
  StartedCommand(std::unique_ptr<sandbox::SandboxedCommand> command,
                 std::unique_ptr<process::ChildProcess> child);

  sandbox::SandboxedCommand& command() { return *command_; }
  process::ChildProcess& child() { return *child_; }
  // Reads one line of its output, without the end of the line. What fails is a failure of the test.
  std::string ReadLine();
  // ReadToEnd(), and what the sandbox says then. Once.
  SandboxRun Finish();

 private:
  std::unique_ptr<sandbox::SandboxedCommand> command_;
  std::unique_ptr<process::ChildProcess> child_;
  std::string out_;  // read, but not told by ReadLine()
};

// Empty if TEST_TMPDIR is good for tests of the sandbox, else what is wrong with it:
// /tmp is another folder inside, so that a workspace below it would prove nothing.
std::string WhatIsWrongWithTemporaryFolder();

// Folders outside of /tmp: a workspace, a HOME, and one that has nothing to do with either. Skips
// with the reason of Probe() where bubblewrap does not work.
class SandboxTest : public testing::Test {
 protected:
  void SetUp() override;

  // Below it: "workspace", "home", "outside". All are there.
  ScratchFolder& folder() const { return *folder_; }
  std::string workspace() const { return folder_->At("workspace"); }
  std::string home() const { return folder_->At("home"); }
  std::string outside() const { return folder_->At("outside"); }

  // PATH, HOME, and what makes git the same everywhere. Also what the sandbox is told of the
  // environment of this process. To be changed before the first command.
  std::vector<std::string>& environment() { return environment_; }
  // To be changed before the first command.
  sandbox::SandboxOptions& options() { return options_; }
  // Made for the first command. nullptr is a failure of the test.
  sandbox::Sandbox* sandbox();

  // The next command makes another one, with the environment and the options of then.
  void ForgetSandbox() { sandbox_.reset(); }

  // A line for /bin/sh, which begins in the workspace.
  process::Program Shell(const std::string& line) const;
  // The workspace is the folder of `program` if it has none.
  absl::StatusOr<StartedCommand> Start(const SandboxPolicy& policy, process::Program program,
                                       process::ChildInput input = process::ChildInput::kNone);
  SandboxRun Run(const SandboxPolicy& policy, process::Program program);
  SandboxRun Run(const SandboxPolicy& policy, const std::string& line);
  // The same, without a sandbox.
  SandboxRun RunOutside(process::Program program);
  SandboxRun RunOutside(const std::string& line);

  process::RunningCommands& running() { return running_; }

 private:
  std::unique_ptr<ScratchFolder> folder_;
  std::vector<std::string> environment_;
  sandbox::SandboxOptions options_;
  process::RunningCommands running_;
  std::unique_ptr<sandbox::Sandbox> sandbox_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SANDBOX_SANDBOX_FIXTURE_H_
