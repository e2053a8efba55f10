#include "sandbox/bwrap_call.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "process/child_process.h"
#include "process/read_to_end.h"
#include "process/running_commands.h"
#include "sandbox/filter.h"
#include "sandbox/support.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::sandbox {
namespace {

using test::IsOk;
using test::ReadToEnd;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class BwrapCallTest : public testing::Test {
 protected:
  void SetUp() override {
    if (OwnSupport().backend != Backend::kFull) GTEST_SKIP() << OwnSupport().why_not;
    options_ = {.bwrap = OwnSupport().bwrap,
                .arguments = {"--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc",
                              "/proc", "--die-with-parent"},
                .filter = MakeFilter({}).value()};
    here_ = FileDescriptor(::open(folder_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  absl::StatusOr<BwrapCall> Make(const std::string& script) const {
    return BwrapCall::Make(options_,
                           {.file = "/bin/sh",
                            .arguments = {"sh", "-c", script},
                            .environment = {"PATH=/usr/bin:/bin", "NAME=a value",
                                            "LD_LIBRARY_PATH=/nonexistent", "=odd", "odd"},
                            .folder = here_.get()});
  }
  struct Result {
    std::string out{};
    std::string errors{};
    int exit_code = 0;
    bool was_set_up = false;
  };
  Result Run(const std::string& script) {
    absl::StatusOr<BwrapCall> call = Make(script);
    EXPECT_THAT(call, IsOk());
    EXPECT_THAT(call->LetRun(), IsOk());
    const auto child =
        process::ChildProcess::Start(call->program(), process::ChildInput::kNone, running_);
    EXPECT_THAT(child, IsOk());
    Result result{.out = ReadToEnd((*child)->output()),
                  .errors = ReadToEnd((*child)->error_output())};
    result.exit_code = (*child)->Reap()->exit_code;
    result.was_set_up = call->WasSetUp();
    return result;
  }

  test::ScratchFolder folder_;
  FileDescriptor here_;
  BwrapCallOptions options_;
  process::RunningCommands running_;
};

TEST_F(BwrapCallTest, RunsTheProgramInItsFolderWithItsVariables) {
  const Result result = Run("pwd; echo \"$NAME\"; echo oops >&2; exit 3");
  EXPECT_EQ(result.out, folder_.path() + "\na value\n");
  EXPECT_EQ(result.errors, "oops\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(result.was_set_up);
}

TEST_F(BwrapCallTest, SetupFailureIsNotExitOne) {
  const Result one = Run("exit 1");
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_TRUE(one.was_set_up);
  options_.arguments.insert(options_.arguments.end(), {"--bind", "/nonexistent", "/mnt"});
  const Result failed = Run("echo ran");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out, IsEmpty());
  EXPECT_THAT(failed.errors, HasSubstr("/nonexistent"));
  EXPECT_FALSE(failed.was_set_up);
}

TEST_F(BwrapCallTest, KilledCommandWasSetUp) {
  absl::StatusOr<BwrapCall> call = Make("echo started; exec cat /dev/zero >/dev/null");
  ASSERT_THAT(call, IsOk());
  const auto child =
      process::ChildProcess::Start(call->program(), process::ChildInput::kNone, running_);
  ASSERT_THAT(child, IsOk());
  ASSERT_THAT(call->LetRun(), IsOk());
  pollfd wait{.fd = (*child)->output().get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&wait, 1, -1), 1);
  EXPECT_EQ((*child)->Kill()->signal, "SIGKILL");
  EXPECT_TRUE(call->WasSetUp());
}

TEST_F(BwrapCallTest, RunsOnlyWhenItIsLet) {
  absl::StatusOr<BwrapCall> call = Make("echo ran");
  ASSERT_THAT(call, IsOk());
  std::optional<BwrapCall> kept(*std::move(call));
  const auto child =
      process::ChildProcess::Start(kept->program(), process::ChildInput::kNone, running_);
  ASSERT_THAT(child, IsOk());
  kept->status().CloseWriteEnd();
  while (kept->status().Read() && kept->status().status().child_pid == 0) {
    pollfd told{.fd = kept->status().read_end(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&told, 1, -1), 1);
  }
  EXPECT_FALSE(kept->WasSetUp());
  const pid_t pid = kept->status().status().child_pid;
  ASSERT_GT(pid, 0);
  kept.reset();  // also not when nobody is left who could
  pollfd output{.fd = (*child)->output().get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&output, 1, 100), 0);
  EXPECT_EQ(::kill(pid, 0), 0);
  EXPECT_THAT((*child)->Kill(), IsOk());
  EXPECT_EQ(ReadToEnd((*child)->output()), "");
}

TEST_F(BwrapCallTest, CommandHasNoDescriptorOfItsSandbox) {
  EXPECT_EQ(Run("for n in /proc/self/fd/*; do [ -e $n ] && echo ${n##*/}; done").out, "0\n1\n2\n");
}

TEST_F(BwrapCallTest, OptionsAndVariablesAreNotOnTheCommandLine) {
  const absl::StatusOr<BwrapCall> call = Make("true");
  ASSERT_THAT(call, IsOk());
  EXPECT_THAT(call->program().environment, IsEmpty());
  EXPECT_THAT(call->program().arguments,
              ElementsAre("bwrap", "--args", "3", "--json-status-fd", "4", "--block-fd", "5",
                          "--seccomp", "6", "--", "/bin/sh", "-c", "true"));
}

TEST_F(BwrapCallTest, SaysThatTheFolderIsGone) {
  folder_.MakeFolder("gone");
  here_ = FileDescriptor(::open(folder_.At("gone").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::rmdir(folder_.At("gone").c_str()), 0);
  EXPECT_THAT(Make("true"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace cursorwire::sandbox
