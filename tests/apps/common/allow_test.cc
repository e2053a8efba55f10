#include "common/allow.h"

#include <gtest/gtest.h>

namespace cursor_apps {
namespace {

using cursorwire::DeleteAction;
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
            "must be none, or a list of read, write, shell, mcp and ask such as read,ask; not "
            "'tools'");
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

}  // namespace
}  // namespace cursor_apps
