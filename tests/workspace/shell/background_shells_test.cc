#include "workspace/shell/background_shells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/workspace.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "support/thread_signals.h"
#include "workspace/recorded_policy.h"
#include "workspace/shell/processes.h"

namespace cursorwire::workspace {
namespace {

using std::chrono::milliseconds;
using test::Await;
using test::AwaitNumber;
using test::IsAlive;
using test::IsOk;
using test::RecordedPolicy;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::HasSubstr;
using enum absl::StatusCode;

// Longer than any test may take.
constexpr milliseconds kLong{3'600'000};

class BackgroundShellsTest : public testing::Test {
 protected:
  BackgroundShellsTest() {
    options_.policy = policy_.Get();
    handler_ = Make();
  }

  std::unique_ptr<LocalExecHandler> Make() {
    absl::StatusOr<std::unique_ptr<LocalExecHandler>> handler =
        LocalExecHandler::Create(scratch_.path(), options_);
    EXPECT_THAT(handler, IsOk());
    return *std::move(handler);
  }
  absl::StatusOr<BackgroundShellOutput> Start(const std::string& command) {
    return handler_->BackgroundShell({.command = command}, {});
  }
  absl::StatusOr<WriteShellStdinOutput> Write(uint32_t id, const std::string& chars,
                                              std::stop_token stop = {}) {
    return handler_->WriteShellStdin({.shell_id = id, .chars = chars}, {.stop = stop});
  }

  ScratchFolder scratch_;
  RecordedPolicy policy_;
  LocalExecOptions options_;
  std::unique_ptr<LocalExecHandler> handler_;
};

TEST_F(BackgroundShellsTest, GoOnAndTakeInput) {
  const absl::StatusOr<BackgroundShellOutput> shell =
      Start("echo $$ > pid; read line; echo \"$line\" > got; read line");
  ASSERT_THAT(shell, IsOk());
  EXPECT_EQ(shell->shell_id, 1U);
  EXPECT_EQ(shell->process_id, static_cast<uint32_t>(AwaitNumber(scratch_.At("pid"))));
  const auto start = policy_.last<ShellAction>();
  EXPECT_TRUE(start.in_background);
  EXPECT_EQ(start.working_directory, scratch_.path());

  ASSERT_THAT(Write(1, "42\n"), IsOk());
  EXPECT_EQ(AwaitNumber(scratch_.At("got")), 42);
  const auto input = policy_.last<ShellInputAction>();
  EXPECT_EQ(input.shell_id, 1U);
  EXPECT_EQ(input.chars, "42\n");
  EXPECT_THAT(input.command, HasSubstr("read line"));
  EXPECT_EQ(Start("true")->shell_id, 2U);
}

// The thread that reads a shell. The shell itself starts with none blocked.
TEST_F(BackgroundShellsTest, LeaveSignalsToTheThreadsOfTheProgram) {
  const std::set<int> before = test::Threads();
  ASSERT_THAT(Start("read line"), IsOk());
  EXPECT_EQ(test::ExpectNoSignalsFor(before, 1), 1);
}

TEST_F(BackgroundShellsTest, AreReadWhateverTheyPrint) {
  ASSERT_THAT(Start("head -c 1000000 /dev/zero; head -c 500000 /dev/zero >&2; echo 1 > done; "
                    "read line"),
              IsOk());
  AwaitNumber(scratch_.At("done"));
  absl::StatusOr<WriteShellStdinOutput> output;
  Await([&] {
    output = Write(1, "");
    return !output.ok() || output->output_bytes_before >= 1'500'000;
  });
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->output_bytes_before, 1'500'000U);
}

TEST_F(BackgroundShellsTest, NameWhatEndedWithThem) {
  const absl::StatusOr<BackgroundShellOutput> shell = Start("sleep 3600 >/dev/null 2>&1 & echo $!");
  ASSERT_THAT(shell, IsOk());
  std::string text;
  Await([&] {
    text = handler_->Read({.path = shell->output_path}, {})->content;
    return text.ends_with("]\n");
  });
  const std::string pid = text.substr(0, text.find('\n'));
  EXPECT_THAT(text, HasSubstr("\n[ended with the command: " + pid + " "));
  EXPECT_THAT(text, HasSubstr("; let the command wait for what is to go on]"));
}

TEST_F(BackgroundShellsTest, AreNotFoundOnceTheyHaveEnded) {
  EXPECT_THAT(Write(1, "x"), StatusIs(kNotFound));
  ASSERT_THAT(Start("exit 0"), IsOk());
  absl::StatusOr<WriteShellStdinOutput> output;
  Await([&] {
    output = Write(1, "x");
    return !output.ok();
  });
  EXPECT_THAT(output, StatusIs(kNotFound));
  // Its input is closed, and it runs.
  ASSERT_THAT(Start("exec <&-; echo 1 > closed; sleep 3600"), IsOk());
  AwaitNumber(scratch_.At("closed"));
  EXPECT_THAT(Write(2, "x"), StatusIs(kNotFound));
}

TEST_F(BackgroundShellsTest, AreKilledWithTheOtherCommands) {
  ASSERT_THAT(Start("setsid sleep 3600 & echo $! > daemon; echo $$ > pid; wait"), IsOk());
  std::future<absl::StatusOr<ShellOutput>> foreground = std::async(std::launch::async, [this] {
    return handler_->Shell({.command = "echo $$ > front; sleep 3600", .timeout = kLong}, {});
  });
  const pid_t front = AwaitNumber(scratch_.At("front"));
  const pid_t daemon = AwaitNumber(scratch_.At("daemon"));
  const pid_t leader = AwaitNumber(scratch_.At("pid"));
  handler_->KillCommands();
  for (const pid_t pid : {front, leader, daemon}) Await([pid] { return !IsAlive(pid); });
  EXPECT_THAT(foreground.get(), IsOk());
  EXPECT_THAT(Start("true"), StatusIs(kCancelled));
  EXPECT_THAT(handler_->Shell({.command = "true"}, {}), StatusIs(kCancelled));
  handler_->KillCommands();
}

TEST_F(BackgroundShellsTest, NeedThePolicy) {
  ASSERT_THAT(Start("read line; echo 1 > got"), IsOk());
  policy_.Refuse("no");
  EXPECT_THAT(Write(1, "x\n"), StatusIs(kPermissionDenied, "no"));
  EXPECT_THAT(Start("echo 1 > got"), StatusIs(kPermissionDenied, "no"));
  std::stop_source stop;
  policy_.Meanwhile([&] { stop.request_stop(); });
  EXPECT_THAT(Write(1, "x\n", stop.get_token()), StatusIs(kCancelled));
  handler_.reset();
  EXPECT_NE(::access(scratch_.At("got").c_str(), F_OK), 0);
}

TEST_F(BackgroundShellsTest, AreOnlySoMany) {
  options_.max_background_shells = 2;
  handler_ = Make();
  ASSERT_THAT(Start("read line"), IsOk());
  ASSERT_THAT(Start("sleep 3600"), IsOk());
  EXPECT_THAT(Start("true"), StatusIs(kResourceExhausted, HasSubstr("2 shells")));
  ASSERT_THAT(Write(1, "\n"), IsOk());
  absl::StatusOr<BackgroundShellOutput> shell;
  Await([&] {
    shell = Start("true");
    return shell.ok();
  });
  EXPECT_EQ(shell->shell_id, 3U);
}

TEST_F(BackgroundShellsTest, DoNotHoldUpWhoWritesToThem) {
  options_.timeout = milliseconds(50);
  handler_ = Make();
  ASSERT_THAT(Start("sleep 3600"), IsOk());
  EXPECT_THAT(Write(1, std::string(500'000, 'x')),
              StatusIs(kDeadlineExceeded, HasSubstr("of 500000 bytes")));
  EXPECT_THAT(Write(1, std::string(2'000'000, 'x')), StatusIs(kInvalidArgument));
  EXPECT_THAT(Write(1, "\xFF"), StatusIs(kInvalidArgument));
}

TEST_F(BackgroundShellsTest, StopWritingWhenStopped) {
  options_.timeout = milliseconds(3'600'000);
  handler_ = Make();
  ASSERT_THAT(Start("sleep 3600"), IsOk());
  std::stop_source stop;
  std::future<absl::StatusOr<WriteShellStdinOutput>> output =
      std::async(std::launch::async, [&]() -> absl::StatusOr<WriteShellStdinOutput> {
        while (true) {  // until no attempt of the other thread is in the way
          const auto written = Write(1, std::string(500'000, 'x'), stop.get_token());
          if (!absl::IsAborted(written.status())) return written;
        }
      });
  // Another one is refused as long as the first writes, which it does until it is stopped.
  Await([&] { return absl::IsAborted(Write(1, "", stop.get_token()).status()); });
  stop.request_stop();
  EXPECT_THAT(output.get(), StatusIs(kCancelled));
}

TEST_F(BackgroundShellsTest, AreKilledWithTheHandler) {
  ASSERT_THAT(Start("echo $$ > pid1; sleep 3600"), IsOk());
  ASSERT_THAT(Start("setsid sh -c 'echo $$ > pid2; sleep 3600' & wait"), IsOk());
  ASSERT_THAT(Start("trap '' HUP TERM; echo $$ > pid3; yes"), IsOk());
  std::vector<pid_t> pids;
  for (const char* file : {"pid1", "pid2", "pid3"}) pids.push_back(AwaitNumber(scratch_.At(file)));
  for (const pid_t pid : pids) EXPECT_TRUE(IsAlive(pid));
  handler_.reset();
  for (const pid_t pid : pids) EXPECT_FALSE(IsAlive(pid));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(BackgroundShellsTest, ServeSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const absl::StatusOr<BackgroundShellOutput> shell = Start("cat");
      ASSERT_THAT(shell, IsOk());
      for (int round = 0; round < 10; ++round) {
        EXPECT_THAT(Write(shell->shell_id, "text\n"), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cursorwire::workspace
