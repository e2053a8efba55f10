#include "mcp/server_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mcp/child_environment.h"
#include "support/scratch_folder.h"

namespace cursorwire::mcp {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ServerLoopTest : public testing::Test {
 protected:
  ServerConfig Config(std::vector<std::string> words = {}) {
    return {.name = "fake",
            .command = CURSORWIRE_FAKE_MCP_SERVER,
            .args = std::move(words),
            .folder = folder_.path()};
  }
  void StartAs(ServerConfig config) {
    std::vector<std::string> environment = ChildEnvironment(environ, {{"ADDED", "1"}});
    loop_.reset();
    states_.clear();
    loop_ = std::make_unique<ServerLoop>(std::move(config), std::move(environment), "7", running_,
                                         [this] {
                                           states_.push_back(watched_->report().state);
                                           if (watch_) watch_(states_.back());
                                         });
    watched_ = loop_.get();
    loop_->Start();
    loop_->WaitUntilSettled({});
  }
  // Is told of each state, on the thread of the loop.
  void Watch(std::function<void(ServerState)> watch) { watch_ = std::move(watch); }
  void Start(std::vector<std::string> words = {}) { StartAs(Config(std::move(words))); }

  std::future<ToolResult> Begin(const std::string& tool, const std::string& arguments = "{}",
                                std::stop_token stop = {}) {
    auto promise = std::make_shared<std::promise<ToolResult>>();
    loop_->Call(tool, {.arguments_json = arguments, .stop = std::move(stop)},
                ToolReply([promise](const absl::StatusOr<ToolResult>& result) {
                  promise->set_value(
                      result.ok()
                          ? *result
                          : ToolResult::Error("status: " + std::string(result.status().message())));
                }));
    return promise->get_future();
  }
  static std::string TextOf(const ToolResult& result) {
    std::string text = result.is_error ? "error: " : "";
    for (const ToolResult::Item& item : result.content) {
      const auto* piece = std::get_if<std::string>(&item);
      text += piece != nullptr ? *piece : "<image>";
    }
    return text;
  }
  std::string Call(const std::string& tool, const std::string& arguments = "{}") {
    return TextOf(Begin(tool, arguments).get());
  }
  // The time that the end takes.
  milliseconds Stop() {
    const auto before = steady_clock::now();
    loop_.reset();
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - before);
  }
  // Waits for the number of a process in a file.
  pid_t ReadNumber(const std::string& name) {
    pid_t number = 0;
    std::ifstream(folder_.At(name)) >> number;
    return number;
  }

  test::ScratchFolder folder_;
  process::RunningCommands running_;
  std::function<void(ServerState)> watch_;
  std::vector<ServerState> states_;  // of the thread of the loop
  std::unique_ptr<ServerLoop> loop_;
  ServerLoop* watched_ = nullptr;  // also while it is being destroyed
};

TEST_F(ServerLoopTest, StartsAServerAndCallsItsTools) {
  Start();
  const ServerReport report = loop_->report();
  EXPECT_EQ(report.state, ServerState::kReady);
  EXPECT_EQ(report.server_name, "fake");
  EXPECT_EQ(report.protocol_version, "2025-11-25");
  EXPECT_EQ(report.instructions, "Echo first.");
  EXPECT_EQ(report.tools.size(), 11u);
  EXPECT_GT(report.startup_time.count(), 0);
  EXPECT_THAT(report.notices, IsEmpty());
  EXPECT_EQ(Call("echo", R"({"a": 1})"), R"(echo {"a":1})");
  EXPECT_EQ(Call("image"), "<image>");
  EXPECT_EQ(Call("structured"), R"({"n":7})");
  EXPECT_EQ(Call("fail"), "error: it did not work");
  EXPECT_EQ(Call("refuse"), "error: fake: bad arguments (error -32602)");
  EXPECT_EQ(Call("slow"), "slow {}");
  EXPECT_EQ(Call("echo", "[]"), "error: the arguments are no JSON object");
  EXPECT_EQ(Call("folder"), folder_.path());
  EXPECT_LT(Stop(), milliseconds(2'400));
}

TEST_F(ServerLoopTest, GivesTheServerASafeEnvironment) {
  ::setenv("CURSOR_API_KEY", "key-of-cursor", 1);  // NOLINT(concurrency-mt-unsafe)
  Start();
  ::unsetenv("CURSOR_API_KEY");  // NOLINT(concurrency-mt-unsafe)
  EXPECT_THAT(Call("env"),
              AllOf(HasSubstr("PATH="), HasSubstr("ADDED=1"), Not(HasSubstr("key-of-cursor"))));
}

TEST_F(ServerLoopTest, TakesCallsAtTheSameTime) {
  Start();
  std::vector<std::future<ToolResult>> calls;
  for (int i = 0; i < 50; ++i) {
    calls.push_back(Begin("echo", "{\"i\":" + std::to_string(i) + "}"));
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(TextOf(calls[static_cast<size_t>(i)].get()),
              "echo {\"i\":" + std::to_string(i) + "}");
  }
}

TEST_F(ServerLoopTest, SendsLargeArguments) {
  Start();
  const std::string text(size_t{400} * 1024, 'x');
  EXPECT_EQ(Call("echo", "{\"a\":\"" + text + "\"}"), "echo {\"a\":\"" + text + "\"}");
  EXPECT_THAT(Call("echo", "{\"a\":\"" + std::string(size_t{11} << 20, 'x') + "\"}"),
              HasSubstr("over the limit"));
}

TEST_F(ServerLoopTest, CancelsACall) {
  Start();
  std::stop_source stop;
  std::future<ToolResult> call = Begin("wait", "{}", stop.get_token());
  EXPECT_EQ(Call("echo"), "echo {}");  // so it was sent
  stop.request_stop();
  EXPECT_THAT(TextOf(call.get()), HasSubstr("without an answer"));
  EXPECT_THAT(Call("cancelled"), HasSubstr("\"requestId\":3"));
  // One that was stopped before.
  EXPECT_THAT(TextOf(Begin("echo", "{}", stop.get_token()).get()), HasSubstr("without an answer"));
}

TEST_F(ServerLoopTest, EndsACallThatTakesTooLong) {
  ServerConfig config = Config();
  config.tool_timeout = milliseconds(50);
  StartAs(std::move(config));
  EXPECT_EQ(Call("wait"), "error: fake: no answer and no progress within 50 ms");
  // The server goes on. On a busy machine, an answer can take longer than that, too.
  std::string answer;
  for (int tries = 0; tries < 50 && answer != "echo {}"; ++tries) answer = Call("echo");
  EXPECT_EQ(answer, "echo {}");
}

TEST_F(ServerLoopTest, WaitsForAReadingUntilItsTimeIsOver) {
  Start();
  const auto read = [this](const std::string& uri, milliseconds time) {
    const auto ask = [uri](Session& session, connect::TimePoint now) {
      return session.ReadResource(uri, now);
    };
    return loop_->Wait(ask, {}, steady_clock::now() + time);
  };
  const absl::Status late = read("fake://wait", milliseconds(20)).status();
  EXPECT_EQ(late.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(late.message()), HasSubstr("fake: it does not answer in time"));
  // The server was told, and goes on.
  EXPECT_THAT(Call("cancelled"), HasSubstr("\"requestId\":"));
  EXPECT_TRUE(read("fake://notes", std::chrono::minutes(1)).ok());
}

TEST_F(ServerLoopTest, StartsAServerAgainThatHasEnded) {
  Start();
  std::future<ToolResult> waiting = Begin("wait");
  EXPECT_EQ(Call("exit"), "error: fake: it has ended with exit code 4: fake: going down");
  EXPECT_THAT(TextOf(waiting.get()), HasSubstr("it has ended with exit code 4"));
  EXPECT_EQ(loop_->report().state, ServerState::kFailed);
  EXPECT_EQ(Call("echo"), "echo {}");
  EXPECT_EQ(loop_->report().state, ServerState::kReady);
  EXPECT_THAT(Call("exit", R"({"code":0})"), HasSubstr("exit code 0"));
  EXPECT_THAT(Call("echo"), HasSubstr("may be started again in 1 s"));
}

TEST_F(ServerLoopTest, StartsAServerAgainHoweverOftenItEnds) {
  ServerConfig config = Config();
  config.restart_pause = config.longest_restart_pause = milliseconds(0);
  StartAs(std::move(config));
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(Call("exit"), "error: fake: it has ended with exit code 4: fake: going down");
  }
  EXPECT_EQ(Call("echo"), "echo {}");
}

TEST_F(ServerLoopTest, GivesAServerUpThatAnswersOverTheBound) {
  Start();
  std::future<ToolResult> waiting = Begin("wait");
  const std::string why =
      "error: fake: what it sends is over a bound: a line is longer than 33554432 bytes";
  EXPECT_EQ(Call("echo", R"({"mib":33})"), why);
  EXPECT_EQ(TextOf(waiting.get()), why);
  EXPECT_EQ(loop_->report().state, ServerState::kFailed);
  EXPECT_EQ(Call("echo"), "echo {}");
}

TEST_F(ServerLoopTest, TriesAServerAgainThatDidNotStart) {
  ServerConfig config = Config({"after", folder_.At("there")});
  config.restart_pause = milliseconds(1);
  config.longest_restart_pause = milliseconds(5);
  std::promise<void> ready;
  Watch([&ready](ServerState state) {
    if (state == ServerState::kReady) ready.set_value();
  });
  StartAs(std::move(config));
  EXPECT_EQ(loop_->report().state, ServerState::kFailed);
  EXPECT_TRUE(loop_->report().is_tried_again);
  EXPECT_EQ(loop_->report().error.message(),
            "it has ended with exit code 3: fake: the key is missing");
  folder_.Write("there", "");
  ready.get_future().wait();
  EXPECT_FALSE(loop_->report().is_tried_again);
  EXPECT_EQ(Call("echo"), "echo {}");
  // Attempts that fail are told to nobody.
  Stop();
  EXPECT_THAT(states_,
              ElementsAre(ServerState::kFailed, ServerState::kReady, ServerState::kStopped));
}

TEST_F(ServerLoopTest, TriesAServerWhenATurnBegins) {
  ServerConfig config = Config({"after", folder_.At("there")});
  config.restart_pause = config.longest_restart_pause = std::chrono::hours(1);
  StartAs(std::move(config));
  EXPECT_EQ(loop_->report().state, ServerState::kFailed);
  folder_.Write("there", "");
  EXPECT_TRUE(loop_->TryAgain());
  loop_->AwaitTry({}, steady_clock::now() + std::chrono::minutes(1));
  EXPECT_EQ(loop_->report().state, ServerState::kReady);
  EXPECT_FALSE(loop_->TryAgain()) << "it is ready";
}

TEST_F(ServerLoopTest, TriesOncePerPauseHoweverManyTurnsBegin) {
  ServerConfig config = Config({"no-start"});
  config.restart_pause = config.longest_restart_pause = std::chrono::hours(1);
  StartAs(std::move(config));
  for (int i = 0; i < 3; ++i) {
    if (loop_->TryAgain()) loop_->AwaitTry({}, steady_clock::now() + std::chrono::minutes(1));
    EXPECT_EQ(loop_->report().state, ServerState::kFailed);
  }
  // A stop token ends the wait for one that hangs, and the end of the loop both.
  ServerConfig silent = Config({"silent"});
  silent.startup_timeout = milliseconds(50);
  silent.restart_pause = std::chrono::hours(1);
  StartAs(silent);
  EXPECT_TRUE(loop_->TryAgain());
  EXPECT_FALSE(loop_->TryAgain()) << "it is being tried";
  std::stop_source stop;
  stop.request_stop();
  loop_->AwaitTry(stop.get_token(), steady_clock::now() + std::chrono::minutes(1));
  loop_->RequestStop();
  loop_->AwaitTry({}, steady_clock::now() + std::chrono::minutes(1));
}

TEST_F(ServerLoopTest, DoesNotTryAgainWhatCannotChange) {
  ServerConfig config{.name = "fake", .folder = "/", .url = "ftp://localhost/"};
  config.restart_pause = config.longest_restart_pause = milliseconds(0);
  StartAs(std::move(config));
  EXPECT_EQ(loop_->report().state, ServerState::kFailed);
  EXPECT_FALSE(loop_->report().is_tried_again);
  EXPECT_FALSE(loop_->TryAgain());
}

TEST_F(ServerLoopTest, EndsWhileItTriesAgain) {
  for (int i = 0; i < 20; ++i) {
    ServerConfig config = Config({"no-start"});
    config.restart_pause = config.longest_restart_pause = milliseconds(0);
    StartAs(std::move(config));
    if (i == 19) running_.KillAll();
    EXPECT_LT(Stop(), milliseconds(2'400));
  }
}

TEST_F(ServerLoopTest, SaysWhyAServerDoesNotStart) {
  struct Case {
    const char* name;
    ServerConfig config;
    const char* message;
  };
  ServerConfig missing = Config();
  missing.command = "no-such-program";
  ServerConfig missing_path = Config();
  missing_path.command = "./none";
  ServerConfig no_folder = Config();
  no_folder.folder = folder_.At("none");
  ServerConfig silent = Config({"silent"});
  silent.startup_timeout = milliseconds(50);
  folder_.Write("text", "");
  ServerConfig text = Config();
  text.command = "./text";
  const Case cases[] = {
      {"ends", Config({"no-start"}), "it has ended with exit code 3: fake: the key is missing"},
      {"no program", missing, "there is no program no-such-program in PATH"},
      {"no file", missing_path, "there is no program ./none"},
      {"no program file", text, "the user may not run ./text"},
      {"no folder", no_folder, "the folder where it is to start is not there"},
      {"says nothing", silent, "it was not ready within 50 ms"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    StartAs(c.config);
    EXPECT_EQ(loop_->report().state, ServerState::kFailed);
    EXPECT_EQ(loop_->report().error.message(), c.message);
  }
}

TEST_F(ServerLoopTest, KeepsKeysOutOfMessages) {
  ServerConfig config = Config({"no-start"});
  config.env = {{"FAKE_KEY", "sk-0123456789abcdef"}};
  loop_ =
      std::make_unique<ServerLoop>(config, ChildEnvironment(environ, config.env), "7", running_);
  loop_->Start();
  loop_->WaitUntilSettled({});
  EXPECT_THAT(std::string(loop_->report().error.message()),
              AllOf(HasSubstr("fake: the key is "), Not(HasSubstr("0123456789"))));
}

TEST_F(ServerLoopTest, ManagesOddServers) {
  Start({"noise", "pages", "bad-tools"});
  EXPECT_EQ(loop_->report().tools.size(), 12u);
  EXPECT_THAT(loop_->report().notices,
              ElementsAre(HasSubstr("no message"), HasSubstr("'bad' is left out")));
  EXPECT_EQ(Call("echo"), "echo {}");
  Start({"text-ids"});
  EXPECT_EQ(Call("echo"), "echo {}");
  Start({"deep"});
  EXPECT_THAT(loop_->report().notices, ElementsAre(HasSubstr("'deep' is left out: its schema is")));
  EXPECT_EQ(Call("echo"), "echo {}");
  Start({"wrong-ids"});
  EXPECT_EQ(loop_->report().error.message(),
            "it answers a request that was not made: id \"answer\"");
  Start({"modern"});
  EXPECT_EQ(loop_->report().protocol_version, "2026-07-28");
  EXPECT_EQ(Call("echo"), "echo {}");
}

TEST_F(ServerLoopTest, KillsAServerThatStays) {
  Start({"stays"});
  EXPECT_EQ(Call("echo"), "echo {}");
  const milliseconds time = Stop();
  EXPECT_GE(time, milliseconds(2'500));
  EXPECT_LT(time, milliseconds(5'000));
}

TEST_F(ServerLoopTest, EndsWhatAServerHasStarted) {
  Start({"child", "number"});
  const pid_t child = ReadNumber("number");
  ASSERT_GT(child, 0);
  EXPECT_EQ(::kill(child, 0), 0);
  EXPECT_LT(Stop(), milliseconds(3'000));
  // It may be a zombie until somebody waits for it: init, or whoever stands in for it.
  std::string state;
  std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
  std::string number;
  std::string name;
  stat >> number >> name >> state;
  EXPECT_TRUE(state.empty() || state == "Z" || state == "X") << state;
}

TEST_F(ServerLoopTest, IsNotHeldByAGrandchildThatHasItsPipes) {
  Start({"child", "number"});
  EXPECT_THAT(Call("exit"), HasSubstr("exit code 4"));
  EXPECT_LT(Stop(), milliseconds(3'000));
}

TEST_F(ServerLoopTest, AnswersCallsWhenItIsStopped) {
  Start();
  std::future<ToolResult> call = Begin("wait");
  EXPECT_EQ(Call("echo"), "echo {}");
  loop_->RequestStop();
  EXPECT_EQ(TextOf(call.get()), "error: fake: it was stopped");
  EXPECT_EQ(Call("echo"), "error: fake: it is stopped");
}

TEST_F(ServerLoopTest, EndsAtOnceWhenAllIsKilled) {
  Start({"stays"});
  std::future<ToolResult> call = Begin("wait");
  running_.KillAll();
  EXPECT_THAT(TextOf(call.get()), HasSubstr("SIGKILL"));
  EXPECT_LT(Stop(), milliseconds(2'400));
}

}  // namespace
}  // namespace cursorwire::mcp
