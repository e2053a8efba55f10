#include "workspace/shell/shell.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cursorwire/run_options.h"
#include "cursorwire/workspace.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
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
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using enum absl::StatusCode;

// Longer than any test may take.
constexpr milliseconds kLongTimeout{3'600'000};

// The parameter is LocalExecOptions::shell.
class ShellTest : public testing::TestWithParam<const char*> {
 protected:
  ShellTest() {
    options_.policy = policy_.Get();
    options_.shell = GetParam();
    options_.shell_timeout = kLongTimeout;
    handler_ = Make();
  }

  std::unique_ptr<LocalExecHandler> Make() {
    absl::StatusOr<std::unique_ptr<LocalExecHandler>> handler =
        LocalExecHandler::Create(scratch_.path(), options_);
    EXPECT_THAT(handler, IsOk());
    return *std::move(handler);
  }
  absl::StatusOr<ShellOutput> Run(const std::string& command, std::stop_token stop = {}) {
    return handler_->Shell({.command = command}, {.stop = stop});
  }
  std::string OutputOf(const std::string& command) {
    const absl::StatusOr<ShellOutput> output = Run(command);
    EXPECT_THAT(output, IsOk());
    return output.ok() ? output->out : output.status().ToString();
  }

  ScratchFolder outside_;
  ScratchFolder scratch_;
  RecordedPolicy policy_;
  LocalExecOptions options_;
  std::unique_ptr<LocalExecHandler> handler_;
};

INSTANTIATE_TEST_SUITE_P(Shells, ShellTest, testing::Values("/bin/sh", "/bin/bash"),
                         [](const auto& test) {
                           return std::string_view(test.param) == "/bin/sh" ? "Sh" : "Bash";
                         });

// Whichever it is, the agent writes for the shell that it was told of.
TEST_P(ShellTest, IsTheOneThatTheAgentIsToldOf) {
  Environment told{.shell = "/usr/bin/fish"};
  handler_->Describe(told);
  EXPECT_EQ(OutputOf("echo $SHELL"), std::string(GetParam()) + "\n");
  EXPECT_EQ(OutputOf("readlink /proc/$$/exe"), OutputOf("readlink -f " + told.shell));
  if (!told.shell.ends_with("bash")) return;
  EXPECT_EQ(OutputOf("mkdir -p p/{a,b}; ls p; echo hi &> f; cat f; [[ a == a ]] && echo same"),
            "a\nb\nhi\nsame\n");
}

TEST_P(ShellTest, RunsACommand) {
  const absl::StatusOr<ShellOutput> output = Run("echo out; echo err >&2; exit 3");
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->exit_code, 3);
  EXPECT_EQ(output->signal, "");
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
  EXPECT_FALSE(output->timed_out);
  EXPECT_GE(output->duration.count(), 0);
  const auto action = policy_.last<ShellAction>();
  EXPECT_EQ(action.command, "echo out; echo err >&2; exit 3");
  EXPECT_EQ(action.working_directory, scratch_.path());
  EXPECT_FALSE(action.in_background);
}

TEST_P(ShellTest, TakesTheCommandAsItIs) {
  EXPECT_EQ(OutputOf(""), "");
  EXPECT_EQ(OutputOf("# nothing"), "");
  EXPECT_EQ(Run("-c")->exit_code, 127);  // no option of the shell
  EXPECT_EQ(OutputOf("printf '%s' 'a\nb'"), "a\nb");
  EXPECT_THAT(Run(std::string("echo a\0; echo b", 15)), StatusIs(kInvalidArgument));
  EXPECT_THAT(Run("echo \xFF"), StatusIs(kInvalidArgument));
  EXPECT_EQ(policy_.actions().size(), 4U);
  EXPECT_THAT(Run(": " + std::string(300'000, 'x')), StatusIs(kInvalidArgument, HasSubstr("long")));
}

TEST_P(ShellTest, TellsOfASignal) {
  const struct {
    const char* name;
    int32_t exit_code;
  } cases[] = {{"SIGKILL", 137}, {"SIGTERM", 143}, {"SIGSEGV", 139}, {"SIGHUP", 129}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<ShellOutput> output =
        Run("echo before; kill -" + std::string(c.name).substr(3) + " $$");
    ASSERT_THAT(output, IsOk());
    EXPECT_EQ(output->signal, c.name);
    EXPECT_EQ(output->exit_code, c.exit_code);
    EXPECT_EQ(output->out, "before\n");
  }
}

TEST_P(ShellTest, RunsWhereItIsToldTo) {
  scratch_.MakeFolder("sub/deep");
  scratch_.MakeLink("link", "sub/deep");
  const auto folder_of = [&](const std::string& working_directory) {
    return handler_
        ->Shell({.command = "pwd; echo $PWD; /bin/pwd", .working_directory = working_directory}, {})
        ->out;
  };
  const auto thrice = [](const std::string& path) {
    return path + "\n" + path + "\n" + path + "\n";
  };
  EXPECT_EQ(folder_of(""), thrice(scratch_.path()));
  EXPECT_EQ(folder_of("sub"), thrice(scratch_.At("sub")));
  EXPECT_EQ(folder_of(scratch_.At("link")), thrice(scratch_.At("sub/deep")));
  EXPECT_EQ(policy_.last<ShellAction>().working_directory, scratch_.At("sub/deep"));
}

TEST_P(ShellTest, StartsNowhereElse) {
  scratch_.Write("file", "");
  scratch_.MakeLink("out", outside_.path());
  const struct {
    std::string path;
    absl::StatusCode code;
  } cases[] = {{"..", kPermissionDenied},
               {outside_.path(), kPermissionDenied},
               {"out", kPermissionDenied},
               {"file", kInvalidArgument},
               {"none", kNotFound}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.path);
    EXPECT_THAT(handler_->Shell({.command = "true", .working_directory = c.path}, {}),
                StatusIs(c.code, HasSubstr("working directory")));
  }
  EXPECT_THAT(policy_.actions(), IsEmpty());
}

TEST_P(ShellTest, DoesNothingThatIsRefusedOrStopped) {
  policy_.Refuse("read the file instead");
  EXPECT_THAT(Run("touch made"), StatusIs(kPermissionDenied, "read the file instead"));
  std::stop_source stop;
  policy_.Meanwhile([&] { stop.request_stop(); });
  EXPECT_THAT(Run("touch made", stop.get_token()), StatusIs(kCancelled));
  EXPECT_NE(::access(scratch_.At("made").c_str(), F_OK), 0);
}

TEST_P(ShellTest, HidesOurEnvironment) {
  ASSERT_EQ(::setenv("CURSOR_ACCESS_TOKEN", "tok-secret", 1), 0);
  handler_ = Make();
  const std::string variables = OutputOf("env");
  ASSERT_EQ(::unsetenv("CURSOR_ACCESS_TOKEN"), 0);
  EXPECT_THAT(variables, AllOf(HasSubstr("PATH="), HasSubstr("TERM=dumb\n"),
                               Not(HasSubstr("tok-secret")), Not(HasSubstr("TOKEN"))));
}

TEST_P(ShellTest, GivesNoInputAndNoFilesOfOurs) {
  EXPECT_EQ(OutputOf("cat; readlink /proc/self/fd/0"), "/dev/null\n");
  // One that is not closed on exec, as those of a host may be.
  const int leak = ::open("/dev/null", O_RDONLY);  // NOLINT(android-cloexec-open)
  const std::string files = OutputOf("ls /proc/$$/fd");
  ::close(leak);
  EXPECT_THAT(files, StartsWith("0\n1\n2\n"));
  EXPECT_THAT(files, Not(HasSubstr("\n" + std::to_string(leak) + "\n")));
}

TEST_P(ShellTest, GivesSignalsAsProgramsExpectThem) {
  sigset_t blocked{};
  sigset_t old_mask{};
  ::sigfillset(&blocked);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &old_mask), 0);
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  const std::string status = OutputOf("grep -E '^Sig(Blk|Ign)' /proc/self/status");
  std::signal(SIGPIPE, old_handler);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &old_mask, nullptr), 0);
  const std::string ignored = status.substr(status.find("SigIgn:\t") + 8);
  // The two that glibc keeps for itself are ignored by its posix_spawn(): 32 and 33.
  constexpr uint64_t kOfGlibc = 0x180000000;
  EXPECT_THAT(status, StartsWith("SigBlk:\t0000000000000000\n"));
  EXPECT_EQ(std::stoull(ignored, nullptr, 16) & ~kOfGlibc, 0U) << status;
}

TEST_P(ShellTest, RunsInASessionOfItsOwn) {
  const std::string own = std::to_string(::getsid(0));
  const std::string session = OutputOf("cut -d' ' -f6 /proc/$$/stat; echo $$");
  const size_t newline = session.find('\n');
  EXPECT_EQ(session.substr(0, newline), session.substr(newline + 1, newline));
  EXPECT_NE(session.substr(0, newline), own);
}

TEST_P(ShellTest, LeavesOutWhatIsTooMuch) {
  options_.max_shell_output_bytes = 1000;
  handler_ = Make();
  const absl::StatusOr<ShellOutput> output =
      Run("head -c 10000000 /dev/zero | tr '\\0' x; head -c 1001 /dev/zero | tr '\\0' y >&2");
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->exit_code, 0);
  EXPECT_EQ(output->out,
            std::string(1000, 'x') + "\n[9999000 more bytes of stdout were left out]\n");
  EXPECT_EQ(output->err, std::string(1000, 'y') + "\n[1 more bytes of stderr were left out]\n");
}

TEST_P(ShellTest, KeepsBytes) {
  EXPECT_EQ(OutputOf("printf '\\000\\377\\303(\\303'"), std::string("\0\xFF\xC3(\xC3", 5));
}

TEST_P(ShellTest, KillsWhatIsOutOfTime) {
  const absl::StatusOr<ShellOutput> output = handler_->Shell(
      {.command = "echo $$ > pid; echo before; sleep 3600", .timeout = milliseconds(300)}, {});
  ASSERT_THAT(output, IsOk());
  EXPECT_TRUE(output->timed_out);
  EXPECT_EQ(output->signal, "SIGKILL");
  EXPECT_EQ(output->exit_code, 137);
  EXPECT_GE(output->duration, milliseconds(300));
}

TEST_P(ShellTest, KeepsToItsTimeouts) {
  const struct {
    const char* name;
    milliseconds of_args;
    milliseconds of_options;
    milliseconds longest;
  } cases[] = {
      {"default", milliseconds(0), milliseconds(50), kLongTimeout},
      {"nonsense", milliseconds(-5), milliseconds(50), kLongTimeout},
      {"given", milliseconds(50), kLongTimeout, kLongTimeout},
      {"longest", kLongTimeout, kLongTimeout, milliseconds(50)},
      {"longest of the default", milliseconds(0), kLongTimeout, milliseconds(50)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    options_.shell_timeout = c.of_options;
    options_.max_shell_timeout = c.longest;
    const absl::StatusOr<ShellOutput> output =
        Make()->Shell({.command = "sleep 3600", .timeout = c.of_args}, {});
    ASSERT_THAT(output, IsOk());
    EXPECT_TRUE(output->timed_out);
  }
}

// What is started, writes its number into "pid" and stays; then the command is stopped.
TEST_P(ShellTest, KillsAllThatItStartedWhenStopped) {
  const struct {
    const char* name;
    const char* command;
  } cases[] = {
      {"the shell", "echo $$ > pid; sleep 3600"},
      {"a child", "sleep 3600 & echo $! > pid; wait"},
      {"a session of its own", "setsid sh -c 'echo $$ > pid; sleep 3600'; true"},
      {"one whose parents are gone",
       "(setsid sh -c '(echo $$ > pid; exec sleep 3600) & wait' &) ; sleep 3600"},
      {"a group of its own", "timeout 3600 sh -c 'echo $$ > pid; sleep 3600'; true"},
      {"one that ignores signals", "trap '' TERM HUP INT; echo $$ > pid; sleep 3600; sleep 3600"},
      {"without an environment", "env -i sh -c 'echo $$ > pid; sleep 3600'; true"},
      {"one that prints without end", "echo $$ > pid; yes"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ::unlink(scratch_.At("pid").c_str());
    std::stop_source stop;
    std::future<absl::StatusOr<ShellOutput>> output =
        std::async(std::launch::async, [&] { return Run(c.command, stop.get_token()); });
    const pid_t pid = AwaitNumber(scratch_.At("pid"));
    stop.request_stop();
    EXPECT_THAT(output.get(), StatusIs(kCancelled));
    EXPECT_FALSE(IsAlive(pid));
  }
}

// The child holds both pipes.
TEST_P(ShellTest, EndsWithTheShellAndKillsWhatItLeft) {
  const absl::StatusOr<ShellOutput> output =
      Run("setsid sleep 3600 & echo $! > pid; echo started; exit 4");
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->exit_code, 4);
  EXPECT_EQ(output->signal, "");
  EXPECT_EQ(output->out, "started\n");
  EXPECT_FALSE(output->timed_out);
  EXPECT_FALSE(IsAlive(AwaitNumber(scratch_.At("pid"))));
}

TEST_P(ShellTest, NamesWhatItEndedWithTheCommand) {
  const absl::StatusOr<ShellOutput> output =
      Run("sleep 3600 >/dev/null 2>&1 & until grep -qx sleep /proc/$!/comm; do :; done; echo $! "
          "> pid");
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->out, "");
  EXPECT_EQ(output->err,
            "\n[ended with the command: " + std::to_string(AwaitNumber(scratch_.At("pid"))) +
                " sleep 3600; use is_background for what is to go on]\n");
}

TEST_P(ShellTest, NamesShellsAndOnlySomeOfMany) {
  const absl::StatusOr<ShellOutput> output =
      Run("for i in 1 2 3 4 5 6 7 8 9 10; do (while :; do sleep 3600; done) & done");
  ASSERT_THAT(output, IsOk());
  EXPECT_THAT(output->err, HasSubstr("(a part of the command), "));
  EXPECT_THAT(output->err, HasSubstr(", and "));
  EXPECT_THAT(output->err, Not(HasSubstr("trap")));
}

TEST_P(ShellTest, NamesNothingWhereNothingWasLeft) {
  EXPECT_EQ(Run("sleep 0 & wait; true | cat")->err, "");
  const absl::StatusOr<ShellOutput> late =
      handler_->Shell({.command = "sleep 3600 & sleep 3600", .timeout = milliseconds(100)}, {});
  ASSERT_THAT(late, IsOk());
  EXPECT_EQ(late->err, "") << "the timeout says so";
}

TEST_P(ShellTest, WaitsForAShellThatClosedItsOutputs) {
  const absl::StatusOr<ShellOutput> output = Run("exec >&- 2>&-; sleep 0.2; touch done; exit 5");
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->exit_code, 5);
  EXPECT_EQ(::access(scratch_.At("done").c_str(), F_OK), 0);
}

TEST_P(ShellTest, LeavesNoProcessAndNoFileBehind) {
  const auto open_files = [] {
    size_t count = 0;
    for (int fd = 0; fd < 200; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
  };
  OutputOf("true");
  const size_t before = open_files();
  for (int i = 0; i < 5; ++i) {
    OutputOf("true");
    handler_->Shell({.command = "sleep 3600", .timeout = milliseconds(1)}, {})
        .status()
        .IgnoreError();
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_P(ShellTest, ServesSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        const std::string text = std::to_string(i) + "." + std::to_string(round);
        EXPECT_EQ(OutputOf("echo " + text + "; head -c 100000 /dev/zero >&2"), text + "\n");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ShellTest, TellsOfAHostThatWaitsForItsChildren) {
  const auto old_handler = std::signal(SIGCHLD, SIG_IGN);
  const absl::StatusOr<ShellOutput> output = Run("true");
  std::signal(SIGCHLD, old_handler);
  EXPECT_THAT(output, StatusIs(kUnknown, HasSubstr("exit code")));
}

// Keeps what comes, and holds the command up until it is let go.
class HoldingSink final : public ShellSink {
 public:
  void Out(std::string_view bytes) override {
    out += bytes;
    ++pieces;
    gate.wait();
  }
  void Err(std::string_view bytes) override { err += bytes; }

  std::promise<void> released;
  const std::shared_future<void> gate = released.get_future().share();
  std::atomic<int> pieces = 0;
  std::string out;
  std::string err;
};

TEST_P(ShellTest, StreamsPiecesAsTheyCome) {
  class Sink final : public ShellSink {
   public:
    explicit Sink(std::function<void()> first) : first_(std::move(first)) {}
    void Out(std::string_view bytes) override {
      if (out.empty()) first_();
      out += bytes;
    }
    void Err(std::string_view bytes) override { err += bytes; }

    std::string out;
    std::string err;

   private:
    std::function<void()> first_;
  };
  // The command ends only after its first words were seen.
  Sink sink([&] { scratch_.Write("go", ""); });
  const absl::StatusOr<ShellOutput> output = handler_->ShellStream(
      {.command = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; echo e >&2; exit 2"},
      sink, {});
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->exit_code, 2);
  EXPECT_EQ(output->out, "");
  EXPECT_EQ(output->err, "");
  EXPECT_EQ(sink.out, "one\ntwo\n");
  EXPECT_EQ(sink.err, "e\n");
}

TEST_P(ShellTest, HoldsACommandUpThatIsNotRead) {
  HoldingSink sink;
  std::future<absl::StatusOr<ShellOutput>> output = std::async(std::launch::async, [&] {
    return handler_->ShellStream({.command = "head -c 5000000 /dev/zero | tr '\\0' x; touch done"},
                                 sink, {});
  });
  Await([&] { return sink.pieces > 0; });
  EXPECT_NE(::access(scratch_.At("done").c_str(), F_OK), 0);  // two pipes hold far less than that
  sink.released.set_value();
  ASSERT_THAT(output.get(), IsOk());
  EXPECT_EQ(::access(scratch_.At("done").c_str(), F_OK), 0);
  EXPECT_THAT(sink.out, EndsWith(" more bytes of stdout were left out]\n"));
}

// A machine that is busy may need longer than that to start a shell: it gets more time then.
TEST_P(ShellTest, PassesOnWhatWasPrintedBeforeTheTimeout) {
  std::string printed;
  for (milliseconds timeout(500); printed.empty() && timeout < kLongTimeout; timeout *= 2) {
    HoldingSink sink;
    sink.released.set_value();
    const absl::StatusOr<ShellOutput> output =
        handler_->ShellStream({.command = "echo before; sleep 3600", .timeout = timeout}, sink, {});
    ASSERT_THAT(output, IsOk());
    EXPECT_TRUE(output->timed_out);
    printed = sink.out;
  }
  EXPECT_EQ(printed, "before\n");
}

}  // namespace
}  // namespace cursorwire::workspace
