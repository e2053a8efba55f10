#include "commands/command_call.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "process/running_commands.h"
#include "support/scratch_folder.h"

namespace cursorwire::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string TextOf(const ToolResult& result) { return std::get<std::string>(result.content.at(0)); }

class CommandCallTest : public ::testing::Test {
 protected:
  ~CommandCallTest() override { EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a zombie"; }

  ToolResult Run(std::vector<std::string> command, std::string arguments = "{}",
                 std::stop_token stop = {}) {
    return RunCommand(
        {.words = std::move(command), .errors = errors_}, CommandEnvironment(environ),
        {.name = "t", .arguments_json = std::move(arguments), .stop = std::move(stop)}, running_);
  }
  ToolResult Shell(const std::string& script, std::string arguments = "{}") {
    return Run({"sh", "-c", script}, std::move(arguments));
  }

  CommandErrors errors_ = CommandErrors::kOurs;
  process::RunningCommands running_;
};

TEST_F(CommandCallTest, GivesArgumentsAndTakesOutput) {
  const std::string arguments = R"({"a":"it's \"quoted\"\n"})";
  const ToolResult result = Run({"cat"}, arguments);
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(TextOf(result), arguments);
}

TEST_F(CommandCallTest, ArgumentsOfTheCommandAreNotForAShell) {
  EXPECT_EQ(TextOf(Run({"printf", "%s|", "$HOME", "a b", "*", ";", ""})), "$HOME|a b|*|;||");
}

TEST_F(CommandCallTest, StandardErrorIsOursOrNone) {
  const std::string ours = TextOf(Shell("readlink /proc/$$/fd/2"));
  EXPECT_EQ(ours, std::filesystem::read_symlink("/proc/self/fd/2").string() + "\n");
  errors_ = CommandErrors::kDropped;
  EXPECT_EQ(TextOf(Shell("readlink /proc/$$/fd/2")), "/dev/null\n");
}

TEST_F(CommandCallTest, NeedsNoReaderOfItsInput) {
  const ToolResult result = Shell("exec <&-; echo done", std::string(1 << 20, 'x'));
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(TextOf(result), "done\n");
}

TEST_F(CommandCallTest, MovesMoreThanAPipeHoldsInBothDirections) {
  const std::string arguments(400 * 1024, 'x');
  EXPECT_EQ(TextOf(Run({"cat"}, arguments)), arguments);
}

TEST_F(CommandCallTest, TellsOfAFailure) {
  const struct {
    const char* name;
    const char* script;
    const char* text;
  } cases[] = {
      {"exit code", "echo no; exit 3", "no\nexit code 3"},
      {"no line break", "printf no; exit 1", "no\nexit code 1"},
      {"no output", "exit 7", "exit code 7"},
      {"signal", "echo a; kill -TERM $$", "a\nended by signal 15 (SIGTERM)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const ToolResult result = Shell(c.script);
    EXPECT_TRUE(result.is_error);
    EXPECT_EQ(TextOf(result), c.text);
  }
}

TEST_F(CommandCallTest, TellsOfAProgramThatIsNotThere) {
  const ToolResult result = Run({"/no/such/program"});
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(TextOf(result), "cannot run /no/such/program: No such file or directory");
}

TEST_F(CommandCallTest, TellsOfAProgramThatIsNotInPath) {
  EXPECT_EQ(TextOf(Run({"no-such-program"})),
            "cannot run no-such-program: No such file or directory");
  EXPECT_EQ(TextOf(Run({"/etc/passwd"})), "cannot run /etc/passwd: Permission denied");
}

// A folder of the workspace must not say which program runs.
TEST_F(CommandCallTest, LooksInNoRelativeEntryOfPath) {
  const test::ScratchFolder folder;
  const std::string name = "commands-test-program";
  folder.Write(name, "#!/bin/sh\necho theirs\n");
  std::filesystem::permissions(folder.At(name), std::filesystem::perms::owner_all);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::string path = ::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
  ::setenv("PATH", (".::" + path).c_str(), 1);
  EXPECT_TRUE(Run({name}).is_error);
  EXPECT_EQ(TextOf(Run({"./" + name})), "theirs\n");
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::current_path(before);
}

TEST_F(CommandCallTest, CutsALongOutputAndSaysSo) {
  const ToolResult result = Shell("head -c 2000000 /dev/zero | tr '\\0' x");
  EXPECT_FALSE(result.is_error);
  EXPECT_THAT(TextOf(result), StartsWith("xxxx"));
  EXPECT_THAT(TextOf(result),
              HasSubstr("\n[the first 523264 of 2000000 bytes; the rest is left out]"));
  EXPECT_LE(TextOf(result).size(), kMaxToolTextBytes);
}

TEST_F(CommandCallTest, HidesTheTokensAndKeepsTheRestOfTheEnvironment) {
  for (const char* name : {"CURSOR_ACCESS_TOKEN", "CURSOR_AUTH_TOKEN", "CURSOR_API_KEY"}) {
    ::setenv(name, "not-to-be-shown", 1);
  }
  ::setenv("CURSOR_API_KEYS", "shown", 1);
  const std::string text = TextOf(Run({"env"}));
  EXPECT_EQ(text.find("not-to-be-shown"), text.npos);
  EXPECT_THAT(text, HasSubstr("CURSOR_API_KEYS=shown\n"));
  EXPECT_THAT(text, HasSubstr("PATH="));
}

TEST_F(CommandCallTest, LeadsASession) {
  const std::string text = TextOf(Run({"cut", "-d ", "-f1,6", "/proc/self/stat"}));
  const std::string pid = text.substr(0, text.find(' '));
  EXPECT_EQ(text, pid + " " + pid + "\n");
}

TEST_F(CommandCallTest, HasTheUsualSignals) {
  // Without a shell, which blocks some while it waits.
  const std::string text = TextOf(Run({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}));
  EXPECT_THAT(text, HasSubstr("SigBlk:\t0000000000000000\n"));
  // But for 32 and 33: glibc has these for itself.
  const size_t ignored = text.find("SigIgn:\t");
  ASSERT_NE(ignored, text.npos);
  EXPECT_EQ(std::stoull(text.substr(ignored + 8), nullptr, 16) & 0x7FFFFFFF, 0u);
}

TEST_F(CommandCallTest, HasNoDescriptorsButTheStandardStreams) {
  const int extra = ::dup(STDERR_FILENO);  // without O_CLOEXEC
  const std::string text = TextOf(Run({"ls", "/proc/self/fd"}));
  ::close(extra);
  EXPECT_EQ(text, "0\n1\n2\n3\n");  // 3: that folder
}

TEST_F(CommandCallTest, DoesNotWaitForWhatIsLeftBehind) {
  const ToolResult result = Shell("sleep 600 & echo $!");
  EXPECT_FALSE(result.is_error);
  const pid_t left = std::stoi(TextOf(result));
  EXPECT_EQ(::kill(left, 0), 0);
  ::kill(left, SIGKILL);
}

TEST_F(CommandCallTest, EndsWhenItsOutputIsClosedLongBefore) {
  EXPECT_EQ(TextOf(Shell("echo a; exec >&-; sleep 0.05; exit 2")), "a\nexit code 2");
}

TEST_F(CommandCallTest, DoesNotBeginWhenItIsStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(Run({"sleep", "600"}, "{}", stop.get_token()).is_error);
}

// A folder in which a command tells that it runs.
class StoppedCommandTest : public CommandCallTest {
 protected:
  StoppedCommandTest() {
    char name[] = "/tmp/command_call_test.XXXXXX";
    folder_ = ::mkdtemp(name);
    command_ = {"bash", "-c",
                "cd " + folder_ +
                    "; trap '' TERM HUP INT; (sleep 600; :) & set -m; sleep 600 & echo $$ >p; "
                    "mv p pid; wait"};
  }
  ~StoppedCommandTest() override {
    ::unlink((folder_ + "/pid").c_str());
    ::rmdir(folder_.c_str());
  }

  pid_t AwaitStart() const {
    pid_t pid = 0;
    while (!(std::ifstream(folder_ + "/pid") >> pid)) {
      std::this_thread::yield();
    }
    return pid;
  }
  // Counts the processes of a session, without those that have ended and only wait for their
  // parent.
  static int CountOfSession(pid_t session) {
    int count = 0;
    DIR* folder = ::opendir("/proc");
    while (const dirent* entry = ::readdir(folder)) {
      std::ifstream file(std::string("/proc/") + entry->d_name + "/stat");
      std::string line;
      if (!std::getline(file, line) || line.rfind(')') == std::string::npos) continue;
      char state = 0;
      int parent = 0, group = 0, of = 0;
      const char* rest = line.c_str() + line.rfind(')') + 1;
      if (std::sscanf(rest, " %c %d %d %d", &state, &parent, &group, &of) != 4) continue;
      if (of == session && state != 'Z' && state != 'X') ++count;
    }
    ::closedir(folder);
    return count;
  }
  static void ExpectGone(pid_t session) {
    // Who was killed is gone when the system has come to it.
    for (int tries = 0; CountOfSession(session) > 0 && tries < 10'000; ++tries) {
      std::this_thread::yield();
    }
    EXPECT_EQ(CountOfSession(session), 0);
  }

  std::string folder_;
  std::vector<std::string> command_;
};

TEST_F(StoppedCommandTest, DiesWithAllOfItsSession) {
  std::stop_source stop;
  ToolResult result;
  std::thread thread([&] { result = Run(command_, "{}", stop.get_token()); });
  const pid_t pid = AwaitStart();
  EXPECT_GE(CountOfSession(pid), 3);
  stop.request_stop();
  thread.join();
  EXPECT_TRUE(result.is_error);
  ExpectGone(pid);
}

// What left the session is found by its mark.
TEST_F(StoppedCommandTest, DiesWithWhatLeftItsSession) {
  command_ = {"bash", "-c",
              "cd " + folder_ + "; setsid sh -c 'echo $$ >p; mv p pid; exec sleep 600' & wait"};
  std::stop_source stop;
  std::thread thread([&] { EXPECT_TRUE(Run(command_, "{}", stop.get_token()).is_error); });
  const pid_t pid = AwaitStart();
  EXPECT_EQ(CountOfSession(pid), 1);
  stop.request_stop();
  thread.join();
  ExpectGone(pid);
}

TEST_F(StoppedCommandTest, DiesWithAllThatRun) {
  ToolResult result;
  std::thread thread([&] { result = Run(command_); });
  const pid_t pid = AwaitStart();
  running_.KillAll();
  thread.join();
  EXPECT_TRUE(result.is_error);
  EXPECT_THAT(TextOf(result), HasSubstr("SIGKILL"));
  ExpectGone(pid);
  EXPECT_TRUE(Run({"sleep", "600"}).is_error);  // and none begins any more
}

TEST_F(CommandCallTest, RunsSeveralAtATime) {
  std::vector<std::string> texts(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([this, &texts, i] {
      for (int round = 0; round < 5; ++round) texts[i] += TextOf(Run({"cat"}, std::to_string(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i], std::string(5, static_cast<char>('0' + i)));
  }
}

TEST_F(CommandCallTest, LeaksNoDescriptors) {
  const auto count = [] {
    int descriptors = 0;
    DIR* folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++descriptors;
    ::closedir(folder);
    return descriptors;
  };
  const int before = count();
  Run({"cat"});
  Run({"/no/such/program"});
  Shell("exit 1");
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace cursorwire::commands
