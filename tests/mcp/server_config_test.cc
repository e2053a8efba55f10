#include "cursorwire/mcp/server_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using std::chrono::milliseconds;
using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using enum absl::StatusCode;

absl::StatusOr<std::vector<ServerConfig>> Parse(const std::string& json) {
  return ParseServerConfigs(json, {.variable =
                                       [](const std::string& name) {
                                         return name == "KEY" ? std::optional<std::string>("k")
                                                              : std::nullopt;
                                       },
                                   .folder = "/home/ada"});
}

TEST(ParseServerConfigs, ReadsCommandsAndUrls) {
  const auto configs = Parse(R"({"other": 1, "mcpServers": {
      "b": {"url": "https://h/${KEY}", "headers": {"X-Key": "${KEY}"}, "type": "streamable-http"},
      "a": {"command": "run", "args": ["-x", "${KEY}"], "env": {"K": "${env:KEY}"}, "cwd": "sub",
            "startup_timeout_sec": 2.5, "tool_timeout_sec": 7, "unknown": [], "type": "stdio"},
      "off": {"disabled": true}}})");
  ASSERT_THAT(configs, IsOk());
  ASSERT_EQ(configs->size(), 2u);
  const ServerConfig& a = (*configs)[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.command, "run");
  EXPECT_THAT(a.args, ElementsAre("-x", "k"));
  EXPECT_THAT(a.env, ElementsAre(Pair("K", "k")));
  EXPECT_EQ(a.folder, "/home/ada/sub");
  EXPECT_EQ(a.startup_timeout, milliseconds(2'500));
  EXPECT_EQ(a.tool_timeout, milliseconds(7'000));
  EXPECT_THAT(a.error, IsOk());
  const ServerConfig& b = (*configs)[1];
  EXPECT_EQ(b.url, "https://h/k");
  EXPECT_THAT(b.headers, ElementsAre(Pair("X-Key", "k")));
  EXPECT_EQ(b.folder, "/home/ada");
  EXPECT_EQ(b.startup_timeout, milliseconds(30'000));
  EXPECT_TRUE(Parse(R"({"mcpServers": {}})")->empty());
}

TEST(ParseServerConfigs, StartsCommandsWhereItIsTold) {
  const auto configs = ParseServerConfigs(
      R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "x", "cwd": "sub"},
                         "c": {"command": "x", "cwd": "/else"}}})",
      {.variable = [](const std::string&) { return std::nullopt; },
       .folder = "/home/ada",
       .start_folder = "/safe"});
  ASSERT_THAT(configs, IsOk());
  EXPECT_EQ((*configs)[0].folder, "/safe");
  EXPECT_EQ((*configs)[1].folder, "/home/ada/sub");
  EXPECT_EQ((*configs)[2].folder, "/else");
}

TEST(ParseServerConfigs, MarksServersThatCannotBeUsed) {
  const auto configs = Parse(R"({"mcpServers": {
      "a": {"command": "${NONE}"},
      "b": {"command": "x", "env": {"T": "${CURSOR_API_KEY}"}},
      "c": {"url": "https://h", "type": "sse"}}})");
  ASSERT_THAT(configs, IsOk());
  EXPECT_EQ((*configs)[0].error.message(), "its \"command\": the variable NONE is not set");
  EXPECT_THAT((*configs)[1].error, StatusIs(kPermissionDenied));
  EXPECT_THAT((*configs)[2].error, StatusIs(kUnimplemented, HasSubstr("HTTP+SSE")));
}

TEST(ParseServerConfigs, RefusesBadFiles) {
  struct Case {
    const char* json;
    const char* message;
  };
  const Case cases[] = {
      {"", "not JSON"},
      {"[]", "mcpServers"},
      {"{}", "mcpServers"},
      {R"({"mcpServers": []})", "mcpServers"},
      {R"({"mcpServers": {"a": 1}})", "server 'a': it must be an object"},
      {R"({"mcpServers": {"a": {}}})", "one of \"command\" and \"url\""},
      {R"({"mcpServers": {"a": {"command": "x", "url": "http://h"}}})", "one of"},
      {R"({"mcpServers": {"a": {"command": 1}}})", "its \"command\" must be a string"},
      {R"({"mcpServers": {"a": {"command": "x\u0000"}}})", "zero bytes"},
      {R"({"mcpServers": {"a": {"command": "x", "args": "y"}}})", "its \"args\" must be a list"},
      {R"({"mcpServers": {"a": {"command": "x", "args": [1]}}})", "its \"args\" must be a list"},
      {R"({"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}})", "its \"env\""},
      {R"({"mcpServers": {"a": {"command": "x", "env": {"A=B": "1"}}}})", "its \"env\""},
      {R"({"mcpServers": {"a": {"command": "x", "tool_timeout_sec": 0}}})", "tool_timeout_sec"},
      {R"({"mcpServers": {"a": {"command": "x", "startup_timeout_sec": "1"}}})", "startup_timeout"},
      {R"({"mcpServers": {"a": {"url": "ftp://h"}}})", "http:// or https://"},
      {R"({"mcpServers": {"a": {"command": "x", "type": "http"}}})", "its \"type\""},
      {R"({"mcpServers": {"a": {"url": "http://h", "type": "stdio"}}})", "its \"type\""},
      {R"({"mcpServers": {"": {"command": "x"}}})", "its name"},
      {R"({"mcpServers": {"a\u001b": {"command": "x"}}})", "its name"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    EXPECT_THAT(Parse(c.json), StatusIs(kInvalidArgument, HasSubstr(c.message)));
  }
}

}  // namespace
}  // namespace cursorwire::mcp
