#include "turn/allow.h"

#include <gtest/gtest.h>

#include <string>

namespace cursor_chat {
namespace {

using cursorwire::AgentMode;
using cursorwire::LocalAction;

TEST(MakeCallPolicy, AllowsToolsOfServersUnlessTheListSaysOtherwise) {
  Output output;
  TerminalQuestion question(output);
  const cursorwire::mcp::ServerCall call{.server = "s", .tool = "t", .arguments_json = "{}"};
  const auto code = [&](const Allow& allow, AgentMode mode = AgentMode::kAgent) {
    return MakeCallPolicy(allow, mode, question)(call, {}).code();
  };
  EXPECT_EQ(code({}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.write = true}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.mcp = true, .ask = true}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.read = false}), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code({.mcp = true}, AgentMode::kPlan), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code({.mcp = true}, AgentMode::kAsk), absl::StatusCode::kPermissionDenied);
}

TEST(MakeCallPolicy, DecidesOnAReadingAsOnACall) {
  Output output;
  TerminalQuestion question(output);
  const cursorwire::mcp::ServerCall reading{.server = "s", .resource = "a:1"};
  const auto code = [&](const Allow& allow, AgentMode mode = AgentMode::kAgent) {
    return MakeCallPolicy(allow, mode, question)(reading, {}).code();
  };
  EXPECT_EQ(code({}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.read = false}), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code({}, AgentMode::kPlan), absl::StatusCode::kPermissionDenied);
}

const LocalAction kWrite = cursorwire::WriteAction{.path = "/a", .diff = "+a\n"};
const LocalAction kDelete = cursorwire::DeleteAction{.path = "/a"};
const LocalAction kShell = cursorwire::ShellAction{.command = "ls", .working_directory = "/"};
const LocalAction kInput =
    cursorwire::ShellInputAction{.shell_id = 1, .command = "sh", .chars = "x\n"};

TEST(MakePolicy, AllowsWhatTheListSays) {
  Output output;
  TerminalQuestion question(output);
  for (const AgentMode mode : {AgentMode::kAgent, AgentMode::kDebug}) {
    const cursorwire::ActionPolicy write = MakePolicy({.write = true}, mode, question);
    EXPECT_TRUE(write(kWrite, {}).ok());
    EXPECT_TRUE(write(kDelete, {}).ok());
    EXPECT_EQ(write(kShell, {}).code(), absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(write(kInput, {}).code(), absl::StatusCode::kPermissionDenied);
    const cursorwire::ActionPolicy shell = MakePolicy({.shell = true}, mode, question);
    EXPECT_TRUE(shell(kShell, {}).ok());
    EXPECT_TRUE(shell(kInput, {}).ok());
    EXPECT_EQ(shell(kWrite, {}).code(), absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(shell(kDelete, {}).code(), absl::StatusCode::kPermissionDenied);
  }
}

TEST(MakePolicy, TakesAFileThatRunsCodeForACommand) {
  Output output;
  TerminalQuestion question(output);
  const LocalAction write = cursorwire::WriteAction{.path = "/.git/config", .runs_code = true};
  const LocalAction removal = cursorwire::DeleteAction{.path = "/.git/config", .runs_code = true};
  for (const LocalAction& action : {write, removal}) {
    const auto decide = [&](const Allow& allow) {
      return MakePolicy(allow, AgentMode::kAgent, question)(action, {});
    };
    EXPECT_TRUE(decide({.write = true, .shell = true}).ok());
    for (const Allow& allow : {Allow{}, Allow{.write = true}, Allow{.shell = true}}) {
      EXPECT_EQ(decide(allow).code(), absl::StatusCode::kPermissionDenied);
    }
    EXPECT_NE(decide({.write = true}).message().find("other programs may run"),
              absl::string_view::npos);
  }
}

TEST(MakePolicy, DoesNotAskAboutAChangeThatIsNotShown) {
  Output output;
  TerminalQuestion question(output);
  const LocalAction hidden =
      cursorwire::WriteAction{.path = "/a", .diff = "Why not.", .shown = false};
  const absl::Status status = MakePolicy({.ask = true}, AgentMode::kAgent, question)(hidden, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(status.message().find("can be shown. Why not."), absl::string_view::npos);
  EXPECT_TRUE(MakePolicy({.write = true}, AgentMode::kAgent, question)(hidden, {}).ok());
}

TEST(MakePolicy, RefusesEverythingInPlanAndAskMode) {
  Output output;
  TerminalQuestion question(output);
  const Allow all = {.write = true, .shell = true, .ask = true};
  for (const AgentMode mode : {AgentMode::kPlan, AgentMode::kAsk}) {
    const cursorwire::ActionPolicy policy = MakePolicy(all, mode, question);
    for (const LocalAction& action : {kWrite, kDelete, kShell, kInput}) {
      const absl::Status status = policy(action, {});
      EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
      EXPECT_NE(status.message().find(mode == AgentMode::kPlan ? "plan mode" : "ask mode"),
                absl::string_view::npos);
    }
  }
}

}  // namespace
}  // namespace cursor_chat
