#include "cursorwire/mcp/servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "cursorwire/exec_handler.h"
#include "support/scratch_folder.h"

namespace cursorwire::mcp {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

ServerConfig Config(const std::string& name, std::vector<std::string> words = {}) {
  return {
      .name = name, .command = CURSORWIRE_FAKE_MCP_SERVER, .args = std::move(words), .folder = "/"};
}

std::vector<ServerConfig> Configs(std::vector<ServerConfig> configs) { return configs; }

// What a tool of the registry says.
ToolResult ResultOf(const ToolRegistry& registry, const std::string& name,
                    const std::string& arguments = "{}") {
  auto promise = std::make_shared<std::promise<ToolResult>>();
  registry.Call({.name = name, .arguments_json = arguments},
                ToolReply([promise](const absl::StatusOr<ToolResult>& result) {
                  promise->set_value(result.ok() ? *result : ToolResult::Error("no tool"));
                }));
  return promise->get_future().get();
}
std::string TextOf(const ToolResult& result) {
  const auto* text = std::get_if<std::string>(&result.content.at(0));
  return text == nullptr ? "" : *text;
}

TEST(Servers, OffersToolsOfTheServersThatWork) {
  ServerConfig http{.name = "http", .folder = "/", .url = "http://127.0.0.1:1/"};
  ServerConfig unset = Config("unset");
  unset.error = absl::NotFoundError("the variable X is not set");
  Servers servers(
      Configs({Config("a_b"), Config("bad", {"no-start"}), Config("a b"), http, unset}));
  servers.WaitUntilSettled();
  const std::vector<ServerReport> reports = servers.reports();
  ASSERT_EQ(reports.size(), 5u);
  EXPECT_EQ(reports[0].provider, "a-b");
  EXPECT_EQ(reports[0].state, ServerState::kReady);
  EXPECT_EQ(reports[1].state, ServerState::kFailed);
  EXPECT_THAT(std::string(reports[1].error.message()), HasSubstr("the key is missing"));
  EXPECT_THAT(reports[2].provider, MatchesRegex("a-b-[0-9a-f]+"));
  // Nobody listens there; or it is a build without libcurl.
  EXPECT_THAT(std::string(reports[3].error.message()),
              AnyOf(HasSubstr("connect"), HasSubstr("libcurl")));
  EXPECT_EQ(reports[4].error.message(), "the variable X is not set");

  ToolRegistry registry;
  registry.Add({.name = "a-b_echo"}, [](const ToolCall&) { return ToolResult::Text("own"); });
  servers.AddTools(registry);
  ASSERT_TRUE(registry.status().ok()) << registry.status();
  EXPECT_EQ(registry.size(), 23u);
  EXPECT_EQ(registry.definition(1).provider, "a-b");
  EXPECT_EQ(registry.definition(1).tool_name, "echo");
  EXPECT_THAT(registry.definition(1).name, MatchesRegex("a-b_echo_[0-9a-f]+"));
  EXPECT_EQ(registry.definition(2).name, "a-b_env");
  ASSERT_EQ(registry.instructions().size(), 2u);
  EXPECT_EQ(registry.instructions()[0].server, "a_b");
  EXPECT_EQ(TextOf(ResultOf(registry, "a-b_echo")), "own");
  EXPECT_EQ(TextOf(ResultOf(registry, registry.definition(1).name, R"({"x":1})")),
            R"(echo {"x":1})");
}

TEST(Servers, RenamesToolsAndKnowsTheirOwnNames) {
  Servers servers(Configs({Config("s", {"bad-tools"})}));
  servers.WaitUntilSettled();
  const ServerReport report = servers.reports()[0];
  const ServerTool& odd = report.tools.back();
  EXPECT_EQ(odd.name, "Odd name, with \xC3\xA4");
  EXPECT_THAT(odd.offered_name, MatchesRegex("Odd_name__with___[0-9a-f]+"));
  ToolRegistry registry;
  servers.AddTools(registry);
  EXPECT_EQ(TextOf(ResultOf(registry, "s_" + odd.offered_name)), odd.name + " {}");
}

TEST(Servers, AsksThePolicyAboutEachCall) {
  Servers servers(Configs({Config("s")}));
  servers.WaitUntilSettled();
  ToolRegistry registry;
  std::vector<std::string> asked;
  servers.AddTools(registry, [&asked](const ServerCall& call, const ActionContext&) {
    asked.push_back(call.server + "/" + call.tool + " " + call.model_name + call.arguments_json);
    EXPECT_EQ(call.description, "Does " + call.tool);
    EXPECT_EQ(call.input_schema, R"({"type":"object"})");
    return call.tool == "echo" ? absl::OkStatus() : absl::PermissionDeniedError("not that one");
  });
  EXPECT_EQ(TextOf(ResultOf(registry, "s_echo")), "echo {}");
  const ToolResult refused = ResultOf(registry, "s_exit", R"({"code":1})");
  EXPECT_TRUE(refused.is_rejected);
  EXPECT_EQ(TextOf(refused), "not that one");
  EXPECT_THAT(asked, ElementsAre("s/echo mcp_s_echo{}", R"(s/exit mcp_s_exit{"code":1})"));
}

TEST(Servers, ServesResources) {
  Servers servers(
      Configs({Config("a_b"), Config("c", {"no-resources"}), Config("d", {"no-start"})}));
  servers.WaitUntilSettled();
  ToolRegistry registry;
  servers.AddTools(registry);
  ASSERT_NE(registry.resources(), nullptr);
  ExecHandler& handler = *registry.resources();
  const auto listed = handler.ListMcpResources({}, {});
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->resources.size(), 2u);
  EXPECT_EQ(listed->resources[0].uri, "fake://notes");
  EXPECT_EQ(listed->resources[0].mime_type, "text/plain");
  EXPECT_EQ(listed->resources[0].server, "a-b");
  EXPECT_EQ(listed->resources[1].uri, "fake://logo");
  EXPECT_THAT(servers.reports()[0].notices, ElementsAre(HasSubstr("1 resources are left out")));

  // By the name that the agent is told, and by that of the configuration.
  for (const char* name : {"a-b", "a_b"}) {
    const auto notes = handler.ReadMcpResource({.server = name, .uri = "fake://notes"}, {});
    ASSERT_TRUE(notes.ok()) << notes.status();
    EXPECT_EQ(notes->content, "Buy milk.");
    EXPECT_TRUE(notes->is_text);
  }
  const auto logo = handler.ReadMcpResource({.server = "a-b", .uri = "fake://logo"}, {});
  ASSERT_TRUE(logo.ok()) << logo.status();
  EXPECT_FALSE(logo->is_text);
  EXPECT_EQ(logo->content, "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(logo->mime_type, "image/png");
  ASSERT_EQ(registry.servers().size(), 3u);
  EXPECT_EQ(registry.servers()[0].status, "ready");
  EXPECT_EQ(registry.servers()[2].status, "error");
}

TEST(Servers, OffersOnWhatAServerHadThatHasEnded) {
  Servers servers(Configs({Config("s")}));
  servers.WaitUntilSettled();
  ToolRegistry first;
  servers.AddTools(first);
  EXPECT_TRUE(ResultOf(first, "s_exit", R"({"code":1})").is_error);
  while (servers.reports()[0].state == ServerState::kReady) std::this_thread::yield();
  // In a request that comes later, its tools and resources are there still, and a call starts it.
  ToolRegistry second;
  servers.AddTools(second);
  EXPECT_NE(second.resources(), nullptr);
  EXPECT_THAT(TextOf(ResultOf(second, "s_echo")), HasSubstr("echo"));
}

TEST(Servers, SaysWhyThereIsNoResource) {
  Servers servers(Configs({Config("s"), Config("bare", {"bare"}), Config("c", {"no-resources"})}));
  servers.WaitUntilSettled();
  ToolRegistry registry;
  servers.AddTools(registry, [](const ServerCall& call, const ActionContext&) {
    EXPECT_EQ(call.tool, "");
    return call.resource == "fake://logo" ? absl::UnknownError("not that one") : absl::OkStatus();
  });
  ASSERT_NE(registry.resources(), nullptr);
  ExecHandler& handler = *registry.resources();
  const struct {
    const char* server;
    const char* uri;  // nullptr: the list
    absl::StatusCode code;
    const char* message;
  } cases[] = {
      {"bare", nullptr, absl::StatusCode::kPermissionDenied, "there are no resources"},
      {"c", nullptr, absl::StatusCode::kPermissionDenied, "no server 'c' has resources"},
      {"c", "fake://notes", absl::StatusCode::kPermissionDenied, "those that have: s, bare"},
      {"s", "fake://logo", absl::StatusCode::kPermissionDenied, "not that one"},
      {"s", "fake://other", absl::StatusCode::kNotFound, "s: there is no such resource"},
      {"s", "fake://none", absl::StatusCode::kInternal, "s: the answer to resources/read has no"},
      {"s", "", absl::StatusCode::kInvalidArgument, "no URI"},
      {"s", "a\nb", absl::StatusCode::kInvalidArgument, "no URI"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.message);
    const absl::Status status =
        c.uri == nullptr ? handler.ListMcpResources({.server = c.server}, {}).status()
                         : handler.ReadMcpResource({.server = c.server, .uri = c.uri}, {}).status();
    EXPECT_EQ(status.code(), c.code);
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
  }
  ToolRegistry without;
  Servers none(Configs({Config("c", {"no-resources"})}));
  none.WaitUntilSettled();
  none.AddTools(without);
  EXPECT_EQ(without.resources(), nullptr);
}

TEST(Servers, StopsAReadingThatNobodyWaitsFor) {
  Servers servers(Configs({Config("s")}));
  servers.WaitUntilSettled();
  ToolRegistry registry;
  servers.AddTools(registry);
  std::stop_source stop;
  std::future<absl::Status> reading = std::async(std::launch::async, [&] {
    return registry.resources()
        ->ReadMcpResource({.server = "s", .uri = "fake://wait"}, {.stop = stop.get_token()})
        .status();
  });
  EXPECT_EQ(TextOf(ResultOf(registry, "s_echo")), "echo {}");
  stop.request_stop();
  EXPECT_EQ(reading.get().code(), absl::StatusCode::kCancelled);
  // The registry may outlive the servers.
  servers.Stop();
  const auto late = registry.resources()->ReadMcpResource({.server = "s", .uri = "fake://a"}, {});
  EXPECT_THAT(std::string(late.status().message()), HasSubstr("s: it is stopped"));
}

TEST(Servers, TellsOfToolsThatAreAddedLater) {
  Servers servers(Configs({Config("s", {"more-tools"})}));
  servers.WaitUntilSettled();
  ToolRegistry registry;
  servers.AddTools(registry);
  const size_t before = registry.size();
  // The list is read again a second after the first one at the latest.
  while (servers.reports()[0].tools.size() <= 11) {
    EXPECT_EQ(TextOf(ResultOf(registry, "s_echo")), "echo {}");
  }
  EXPECT_EQ(servers.reports()[0].tools.size(), 12u);
  EXPECT_EQ(registry.size(), before);
}

TEST(Servers, TriesThoseAgainThatAreAwayWhenATurnBegins) {
  const test::ScratchFolder folder;
  ServerConfig late = Config("late", {"after", folder.At("there")});
  late.restart_pause = late.longest_restart_pause = std::chrono::hours(1);
  ServerConfig later = late;
  later.name = "later";
  Servers servers(Configs({late, Config("good"), later}));
  servers.WaitUntilSettled();
  folder.Write("there", "");
  const auto minute = [] { return steady_clock::now() + std::chrono::minutes(1); };
  servers.TryAgain({}, minute());
  ToolRegistry registry;
  servers.AddTools(registry);
  EXPECT_EQ(TextOf(ResultOf(registry, "late_echo")), "echo {}");
  EXPECT_EQ(TextOf(ResultOf(registry, "later_echo")), "echo {}");
}

TEST(Servers, TriesThoseAgainWhenToolsAreAdded) {
  const test::ScratchFolder folder;
  ServerConfig late = Config("late", {"after", folder.At("there")});
  late.restart_pause = late.longest_restart_pause = std::chrono::hours(1);
  std::promise<void> ready;
  Servers servers(Configs({late}), [&ready](const ServerReport& report) {
    if (report.state == ServerState::kReady) ready.set_value();
  });
  servers.WaitUntilSettled();
  folder.Write("there", "");
  ToolRegistry none;
  servers.AddTools(none);
  EXPECT_EQ(none.size(), 0u);
  ready.get_future().wait();
  ToolRegistry registry;
  servers.AddTools(registry);
  EXPECT_EQ(TextOf(ResultOf(registry, "late_echo")), "echo {}");
}

TEST(Servers, TellsOfChanges) {
  std::mutex mutex;
  std::vector<std::string> told;
  const auto watcher = [&](const ServerReport& report) {
    const std::lock_guard lock(mutex);
    const char* const states[] = {"starting", "ready", "failed", "stopped"};
    told.push_back(report.provider + " " + states[static_cast<int>(report.state)]);
  };
  Servers servers(Configs({Config("a b")}), watcher);
  servers.WaitUntilSettled();
  ToolRegistry registry;
  servers.AddTools(registry);
  ResultOf(registry, "a-b_exit");
  EXPECT_EQ(TextOf(ResultOf(registry, "a-b_echo")), "echo {}");
  servers.Stop();
  EXPECT_THAT(told,
              ElementsAre("a-b ready", "a-b failed", "a-b starting", "a-b ready", "a-b stopped"));
}

TEST(Servers, EndsAllAtTheSameTime) {
  auto servers = std::make_unique<Servers>(
      Configs({Config("a", {"stays"}), Config("b", {"stays"}), Config("c", {"stays"})}));
  servers->WaitUntilSettled();
  ToolRegistry registry;
  servers->AddTools(registry);
  const auto before = steady_clock::now();
  servers->Stop();
  EXPECT_LT(steady_clock::now() - before, milliseconds(5'000));
  servers.reset();
  EXPECT_THAT(TextOf(ResultOf(registry, "a_echo")), HasSubstr("a: it is stopped"));
}

TEST(Servers, CanBeKilled) {
  Servers servers(Configs({Config("a", {"stays"}), Config("b", {"stays", "silent"})}));
  const auto before = steady_clock::now();
  servers.Kill();
  servers.Stop();
  EXPECT_LT(steady_clock::now() - before, milliseconds(2'400));
}

TEST(Servers, StopsWaitingWhenItIsTold) {
  Servers servers(Configs({Config("s", {"silent"})}));
  std::stop_source stop;
  stop.request_stop();
  servers.WaitUntilSettled(stop.get_token());
  EXPECT_EQ(servers.reports()[0].state, ServerState::kStarting);
  servers.WaitUntilSettled({}, steady_clock::now() + milliseconds(10));
  EXPECT_EQ(servers.reports()[0].state, ServerState::kStarting);
}

}  // namespace
}  // namespace cursorwire::mcp
