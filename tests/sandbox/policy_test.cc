#include "sandbox/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cursorwire::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SandboxPolicy Everything() {
  return {.workspace = WorkspaceAccess::kWrite,
          .network = true,
          .git_write = true,
          .tmp_write = true,
          .writable = {"/etc", "/", "/data/../etc"}};
}

TEST(Policy, ServicePolicyCannotWiden) {
  const SandboxPolicy user{.workspace = WorkspaceAccess::kRead,
                           .tmp_write = false,
                           .writable = {"/data"},
                           .hidden = {"/ws/secret"}};
  EXPECT_EQ(Narrow(user, Everything()), user);  // "/" is above "/data"
  EXPECT_THAT(WidensBeyond(user, Narrow(user, Everything())), IsEmpty());
}

TEST(Policy, RepositorySandboxFileCannotWiden) {
  const SandboxPolicy user{};
  SandboxPolicy file = Everything();
  file.hidden = {"/ws/notes"};
  const SandboxPolicy both = Narrow(user, file);
  EXPECT_EQ(both, (SandboxPolicy{.hidden = {"/ws/notes"}}));
  EXPECT_THAT(WidensBeyond(user, both), IsEmpty());
}

TEST(Policy, WishNarrows) {
  const SandboxPolicy user{.network = true, .git_write = true, .writable = {"/a/b/", "/c"}};
  const SandboxPolicy wish{.workspace = WorkspaceAccess::kRead,
                           .tmp_write = false,
                           .writable = {"/a"},
                           .hidden = {"/x"}};
  EXPECT_EQ(Narrow(user, wish), (SandboxPolicy{.workspace = WorkspaceAccess::kRead,
                                               .tmp_write = false,
                                               .writable = {"/a/b/"},
                                               .hidden = {"/x"}}));
}

TEST(Policy, PathBelowTheUsersIsNotKeptSinceItMayBeALink) {
  const SandboxPolicy user{.writable = {"/data"}};
  EXPECT_THAT(Narrow(user, {.writable = {"/data/link"}}).writable, IsEmpty());
  EXPECT_THAT(Narrow(user, {.writable = {"/data/../data"}}).writable, IsEmpty());
  EXPECT_THAT(Narrow(user, {.writable = {"/dat"}}).writable, IsEmpty());
  EXPECT_THAT(Narrow(user, {.writable = {"/data/"}}).writable, ElementsAre("/data"));
}

TEST(Policy, NamesWhatIsWanted) {
  const SandboxPolicy user{.workspace = WorkspaceAccess::kRead,
                           .tmp_write = false,
                           .writable = {"/data"},
                           .hidden = {"/ws/a", "/ws/b/c"}};
  SandboxPolicy wanted = Everything();
  wanted.writable = {"/data", "/data/x"};
  wanted.hidden = {"/ws/b"};
  EXPECT_THAT(WidensBeyond(user, wanted), ElementsAre("workspace", "network", "git_write", "tmp",
                                                      "write:/data/x", "see:/ws/a"));
  EXPECT_THAT(WidensBeyond(wanted, wanted), IsEmpty());
}

TEST(Policy, IsDescribedInALine) {
  EXPECT_EQ(Describe({}), "workspace and /tmp may be changed, no network, .git is read-only");
  EXPECT_EQ(Describe({.workspace = WorkspaceAccess::kRead}),
            "/tmp alone may be changed, no network, .git is read-only");
  EXPECT_EQ(Describe({.workspace = WorkspaceAccess::kRead, .network = true, .tmp_write = false}),
            "nothing may be changed, network, .git is read-only");
  EXPECT_EQ(Describe({.git_write = true,
                      .tmp_write = false,
                      .writable = {"/a\n", "/b", "/c", "/d", "/e"},
                      .hidden = {"/x", "/y"}}),
            "workspace, and /a?, /b, /c and 2 more may be changed, no network, "
            ".git may be changed, 2 hidden");
}

}  // namespace
}  // namespace cursorwire::sandbox
