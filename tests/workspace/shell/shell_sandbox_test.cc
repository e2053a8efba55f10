#include "workspace/shell/shell_sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cursorwire/workspace.h"
#include "sandbox/sandbox_fixture.h"
#include "sandbox/support.h"
#include "support/status_matchers.h"
#include "workspace/recorded_policy.h"
#include "workspace/shell/processes.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::RecordedPolicy;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using enum absl::StatusCode;

constexpr std::chrono::milliseconds kNoShellTimeout{3'600'000};

class SandboxedShellTest : public test::SandboxTest {
 protected:
  SandboxedShellTest() {
    options_.policy = policy_.Get();
    options_.shell_timeout = kNoShellTimeout;
    options_.sandbox.mode = SandboxMode::kAuto;
  }

  LocalExecHandler& handler() {
    if (handler_ == nullptr) {
      absl::StatusOr<std::unique_ptr<LocalExecHandler>> made =
          LocalExecHandler::Create(workspace(), options_);
      EXPECT_THAT(made, IsOk());
      handler_ = *std::move(made);
    }
    return *handler_;
  }
  absl::StatusOr<ShellOutput> RunIn(const std::string& command,
                                    std::optional<RequestedSandbox> wish = {}) {
    return handler().Shell({.command = command, .sandbox = std::move(wish)}, {});
  }
  ShellOutput MustRun(const std::string& command, std::optional<RequestedSandbox> wish = {}) {
    absl::StatusOr<ShellOutput> output = RunIn(command, std::move(wish));
    EXPECT_THAT(output, IsOk());
    return output.value_or(ShellOutput{.exit_code = -1});
  }
  ShellAction LastAction() const { return policy_.last<ShellAction>(); }

  RecordedPolicy policy_;
  LocalExecOptions options_;
  std::unique_ptr<LocalExecHandler> handler_;
};

TEST_F(SandboxedShellTest, CommandsRunInIt) {
  const ShellOutput output = MustRun("echo here > a; cat a; touch " + outside() + "/b");
  EXPECT_EQ(output.out, "here\n");
  EXPECT_NE(output.exit_code, 0);
  EXPECT_EQ(output.sandbox, SandboxPolicy{});
  EXPECT_EQ(LastAction().sandbox, SandboxPolicy{});
  EXPECT_THAT(LastAction().permissions, IsEmpty());
  EXPECT_EQ(LastAction().no_sandbox, "");
}

TEST_F(SandboxedShellTest, SandboxOffIsAlwaysAsked) {
  options_.sandbox.mode = SandboxMode::kOff;
  EXPECT_EQ(MustRun("touch " + outside() + "/b").exit_code, 0);
  EXPECT_EQ(LastAction().sandbox, std::nullopt);
  EXPECT_EQ(LastAction().no_sandbox, "");
}

TEST_F(SandboxedShellTest, ServicePolicyCannotWiden) {
  const RequestedSandbox wish{.policy = {.network = true, .writable = {outside()}}};
  const ShellOutput output = MustRun("touch " + outside() + "/b", wish);
  EXPECT_NE(output.exit_code, 0);
  EXPECT_EQ(output.sandbox, SandboxPolicy{});
  const ShellOutput none = MustRun("touch " + outside() + "/b", RequestedSandbox{.none = true});
  EXPECT_NE(none.exit_code, 0);
  EXPECT_EQ(none.sandbox, SandboxPolicy{});
}

TEST_F(SandboxedShellTest, ServicePolicyNarrows) {
  const RequestedSandbox wish{.policy = {.workspace = WorkspaceAccess::kRead}};
  EXPECT_NE(MustRun("echo here > a", wish).exit_code, 0);
  EXPECT_EQ(LastAction().sandbox->workspace, WorkspaceAccess::kRead);
}

TEST_F(SandboxedShellTest, WhatIsAskedForIsGivenByAYes) {
  options_.sandbox.ask_for_more = true;
  const RequestedSandbox wish{.policy = {.writable = {outside()}}};
  EXPECT_EQ(MustRun("touch " + outside() + "/b", wish).exit_code, 0);
  EXPECT_THAT(LastAction().permissions, ElementsAre("write:" + outside()));

  EXPECT_EQ(MustRun("touch " + home() + "/b", RequestedSandbox{.none = true}).exit_code, 0);
  EXPECT_THAT(LastAction().permissions, ElementsAre("all"));
  EXPECT_EQ(LastAction().sandbox, std::nullopt);

  policy_.Refuse("no");
  EXPECT_THAT(RunIn("touch " + outside() + "/c", wish), StatusIs(kPermissionDenied, "no"));
}

TEST_F(SandboxedShellTest, RequireNeverRunsOutside) {
  options_.sandbox = {.mode = SandboxMode::kRequire, .ask_for_more = true};
  const ShellOutput output = MustRun("touch " + outside() + "/b", RequestedSandbox{.none = true});
  EXPECT_NE(output.exit_code, 0);
  EXPECT_NE(LastAction().sandbox, std::nullopt);
}

TEST_F(SandboxedShellTest, GitWriteIsRefusedWhereNobodyIsAsked) {
  folder().MakeFolder("workspace/.git");
  for (const std::string& path : {std::string(".git"), workspace() + "/.git"}) {
    EXPECT_THAT(RunIn("true", RequestedSandbox{.policy = {.writable = {path}}}),
                StatusIs(kPermissionDenied, HasSubstr("git_write")));
  }
  EXPECT_THAT(policy_.actions(), IsEmpty());
}

TEST_F(SandboxedShellTest, SaysWhatMayBeBehindAFailure) {
  EXPECT_THAT(MustRun("touch " + outside() + "/b").err,
              AllOf(HasSubstr("\n[files outside"), EndsWith("]\n")));
  EXPECT_THAT(MustRun("echo quiet; exit 3").err, IsEmpty());
}

TEST_F(SandboxedShellTest, TellsTheLastFolder) {
  folder().MakeFolder("workspace/sub");
  EXPECT_EQ(MustRun("cd sub").last_folder, workspace() + "/sub");
}

TEST_F(SandboxedShellTest, ReadsTheFileOfALargeOutputLater) {
  options_.max_shell_output_bytes = 10;
  const absl::StatusOr<ShellOutput> output =
      handler().Shell({.command = "seq 1000", .file_output_threshold_bytes = 10}, {});
  ASSERT_THAT(output, IsOk());
  ASSERT_TRUE(output->output_location.has_value());
  EXPECT_EQ(MustRun("tail -n 1 " + output->output_location->path).out, "1000\n");
  EXPECT_NE(MustRun("echo >> " + output->output_location->path).exit_code, 0);
}

TEST_F(SandboxedShellTest, IgnoredFileIsHidden) {
  folder().Write("workspace/.cursorignore", "secret*\n/private/\n");
  folder().Write("workspace/secret.txt", "hidden-1");
  folder().Write("workspace/sub/secret.env", "hidden-2");
  folder().Write("workspace/private/a", "hidden-3");
  folder().Write("workspace/open", "seen");
  const ShellOutput output = MustRun("cat open secret.txt sub/secret.env private/a; grep -r hid .");
  EXPECT_THAT(output.out, HasSubstr("seen"));
  EXPECT_THAT(output.out + output.err, Not(HasSubstr("hidden-")));
}

TEST_F(SandboxedShellTest, BackgroundShellDiesWithHandler) {
  const absl::StatusOr<BackgroundShellOutput> shell = handler().BackgroundShell(
      {.command = "echo $$ > started; while read l; do echo $l > got; done"}, {});
  ASSERT_THAT(shell, IsOk());
  ASSERT_TRUE(shell->process_id.has_value());
  EXPECT_THAT(handler().WriteShellStdin({.shell_id = shell->shell_id, .chars = "word\n"}, {}),
              IsOk());
  EXPECT_TRUE(policy_.last<ShellInputAction>().sandboxed);
  test::Await([this] { return MustRun("cat got").out == "word\n"; });
  const auto pid = static_cast<pid_t>(*shell->process_id);
  EXPECT_TRUE(test::IsAlive(pid));
  handler_.reset();
  test::Await([pid] { return !test::IsAlive(pid); });
}

class ChoiceTest : public testing::Test {
 protected:
  absl::StatusOr<SandboxChoice> Choose(SandboxMode mode, const sandbox::Support& support) {
    const absl::StatusOr<Workspace> workspace = Workspace::Open(folder_.path());
    if (!workspace.ok()) return workspace.status();
    LocalExecOptions options;
    options.sandbox.mode = mode;
    OutputFolder outputs(OutputFolder::DefaultParent());
    ShellSandbox sandbox(*workspace, options, outputs, {}, &support);
    return sandbox.Choose(std::nullopt);
  }

  test::ScratchFolder folder_;
};

TEST_F(ChoiceTest, UnsupportedSaysWhy) {
  const sandbox::Support none{.why_not = "install bubblewrap"};
  for (const SandboxMode mode : {SandboxMode::kAuto, SandboxMode::kPartial}) {
    const absl::StatusOr<SandboxChoice> choice = Choose(mode, none);
    ASSERT_THAT(choice, IsOk());
    EXPECT_EQ(choice->policy, std::nullopt);
    EXPECT_THAT(choice->why_none, HasSubstr("install bubblewrap"));
  }
  EXPECT_THAT(Choose(SandboxMode::kRequire, none),
              StatusIs(kFailedPrecondition, HasSubstr("install bubblewrap")));
}

TEST_F(ChoiceTest, APartIsNoSandboxUnlessTheUserSaysSo) {
  const sandbox::Support partial{
      .backend = sandbox::Backend::kPartial, .landlock_abi = 3, .why_not = "no namespaces"};
  const absl::StatusOr<SandboxChoice> choice = Choose(SandboxMode::kAuto, partial);
  ASSERT_THAT(choice, IsOk());
  EXPECT_EQ(choice->policy, std::nullopt);
  EXPECT_THAT(choice->why_none, HasSubstr("no namespaces"));
  EXPECT_THAT(Choose(SandboxMode::kRequire, partial), StatusIs(kFailedPrecondition));
}

}  // namespace
}  // namespace cursorwire::workspace
