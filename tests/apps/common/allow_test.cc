#include "common/allow.h"

#include <gtest/gtest.h>

#include <string>

namespace cursor_apps {
namespace {

using cursorwire::DeleteAction;
using cursorwire::SandboxMode;
using cursorwire::SandboxPolicy;
using cursorwire::SandboxSettings;
using cursorwire::ShellAction;
using cursorwire::ShellInputAction;
using cursorwire::WriteAction;

TEST(ParseAllow, TakesAListOrNone) {
  const struct {
    const char* list;
    bool read, write, shell, ask, mcp;
  } kCases[] = {
      {"none", false, false, false, false, false},
      {"read", true, false, false, false, false},
      {"write", true, true, false, false, false},
      {"shell", true, false, true, false, false},
      {"ask", true, false, false, true, false},
      {"mcp", true, false, false, false, true},
      {"read,write,shell", true, true, true, false, false},
      {"shell,ask,mcp,shell", true, false, true, true, true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.list);
    const absl::StatusOr<Allow> allow = ParseAllow(c.list);
    ASSERT_TRUE(allow.ok()) << allow.status();
    EXPECT_EQ(allow->read, c.read);
    EXPECT_EQ(allow->write, c.write);
    EXPECT_EQ(allow->shell, c.shell);
    EXPECT_EQ(allow->ask, c.ask);
    EXPECT_EQ(allow->mcp, c.mcp);
  }
}

TEST(ParseAllow, RefusesOtherWords) {
  for (const char* list : {"all", "read,none", "none,", "read,,write", " read", "READ", ","}) {
    SCOPED_TRACE(list);
    EXPECT_EQ(ParseAllow(list).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(ParseAllow("tools").status().message(),
            "must be none, or a list of read, write, sandboxed, shell, mcp and ask such as "
            "read,ask; not 'tools'");
}

TEST(CheckAllowed, DecidesByWhatAnActionNeeds) {
  const struct {
    const char* name;
    cursorwire::LocalAction action;
    bool write, shell;  // what it needs
  } kCases[] = {
      {"write", WriteAction{}, true, false},
      {"write what others run", WriteAction{.runs_code = true}, true, true},
      {"delete", DeleteAction{}, true, false},
      {"delete what others run", DeleteAction{.runs_code = true}, true, true},
      {"command", ShellAction{}, false, true},
      {"input of a command", ShellInputAction{}, false, true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    for (const Allow& allow : {Allow{}, Allow{.write = true}, Allow{.shell = true},
                               Allow{.write = true, .shell = true}, Allow{.ask = true}}) {
      const bool allowed = (!c.write || allow.write) && (!c.shell || allow.shell);
      EXPECT_EQ(CheckAllowed(allow, c.action).code(),
                allowed ? absl::StatusCode::kOk : absl::StatusCode::kPermissionDenied);
    }
  }
}

TEST(CheckAllowed, SandboxedIsForWhatRunsInside) {
  const Allow allow{.sandboxed = true};
  const SandboxPolicy inside{};
  EXPECT_TRUE(CheckAllowed(allow, ShellAction{.sandbox = inside}).ok());
  EXPECT_TRUE(CheckAllowed(allow, ShellInputAction{.sandboxed = true}).ok());
  EXPECT_FALSE(CheckAllowed(allow, ShellInputAction{}).ok());
  const absl::Status outside =
      CheckAllowed(allow, ShellAction{.no_sandbox = "no sandbox for this command: no bwrap"});
  EXPECT_EQ(outside.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(
      outside.message(),
      "the user allows commands in a sandbox alone, and there is no sandbox for this command: "
      "no bwrap");
  EXPECT_FALSE(CheckAllowed({.write = true}, ShellAction{.sandbox = inside}).ok());
}

TEST(CheckAllowed, MoreThanThePolicyIsAskedForByName) {
  const ShellAction action{.sandbox = SandboxPolicy{.network = true}, .permissions = {"network"}};
  for (const Allow& allow : {Allow{.sandboxed = true}, Allow{.shell = true}}) {
    const absl::Status status = CheckAllowed(allow, action);
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(status.message(),
              "the user does not give commands the permission network; say which command is to be "
              "run with it");
  }
}

TEST(SandboxFor, MeansWhatThePageSays) {
  using cursorwire::WorkspaceAccess;
  const struct {
    Allow allow;
    SandboxMode given, mode;
    WorkspaceAccess workspace;
    bool asks;
  } kCases[] = {
      {{}, SandboxMode::kAuto, SandboxMode::kOff, WorkspaceAccess::kWrite, false},
      {{.read = false}, SandboxMode::kRequire, SandboxMode::kOff, WorkspaceAccess::kWrite, false},
      {{.shell = true}, SandboxMode::kAuto, SandboxMode::kOff, WorkspaceAccess::kWrite, false},
      {{.shell = true},
       SandboxMode::kRequire,
       SandboxMode::kRequire,
       WorkspaceAccess::kWrite,
       false},
      {{.sandboxed = true}, SandboxMode::kAuto, SandboxMode::kAuto, WorkspaceAccess::kRead, false},
      {{.write = true, .sandboxed = true},
       SandboxMode::kPartial,
       SandboxMode::kPartial,
       WorkspaceAccess::kWrite,
       false},
      {{.ask = true}, SandboxMode::kAuto, SandboxMode::kAuto, WorkspaceAccess::kWrite, true},
      {{.sandboxed = true, .ask = true},
       SandboxMode::kAuto,
       SandboxMode::kAuto,
       WorkspaceAccess::kRead,
       true},
      {{.ask = true}, SandboxMode::kOff, SandboxMode::kOff, WorkspaceAccess::kWrite, true},
  };
  for (const auto& c : kCases) {
    const SandboxSettings settings = SandboxFor(c.allow, c.given);
    EXPECT_EQ(settings.mode, c.mode);
    EXPECT_EQ(settings.policy.workspace, c.workspace);
    EXPECT_EQ(settings.ask_for_more, c.asks);
  }
}

TEST(SandboxWords, SayWhatACommandMayDo) {
  EXPECT_EQ(SandboxWords(ShellAction{}), "");
  EXPECT_EQ(SandboxWords({.permissions = {"all"}}),
            "without a sandbox: it may do whatever you may; it asks for all");
  EXPECT_EQ(SandboxWords({.no_sandbox = "no sandbox for this command: x"}),
            "without a sandbox: it may do whatever you may; no sandbox for this command: x");
  const std::string inside = SandboxWords({.sandbox = SandboxPolicy{}, .permissions = {"network"}});
  EXPECT_TRUE(inside.starts_with("in the sandbox: ")) << inside;
  EXPECT_TRUE(inside.ends_with("; it asks for network")) << inside;
}

}  // namespace
}  // namespace cursor_apps
