#include "sandbox/appeared.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/git_config.h"
#include "support/scratch_folder.h"

namespace cursorwire::sandbox {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr char kPlainConfig[] =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    "[remote \"origin\"]\n\turl = https://example.com/x.git\n"
    "\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n";

class AppearedTest : public testing::Test {
 protected:
  // The clock of files goes on in steps: what is written from here on is new.
  Appeared Begin() {
    WaitForNextTick();
    Appeared appeared = Appeared::Before(Found());
    return appeared;
  }
  Places Found(const SandboxPolicy& policy = {}) {
    folder_.MakeFolder("ws");
    folder_.MakeFolder("home");
    absl::StatusOr<Places> places =
        FindPlaces({.workspace = folder_.At("ws"),
                    .private_folder = folder_.At("tmp"),
                    .environment = {"HOME=" + (home_.empty() ? folder_.At("home") : home_)},
                    .code_files = {folder_.At("ws/tools.json")}},
                   policy);
    EXPECT_TRUE(places.ok()) << places.status();
    return places.ok() ? *places : Places{};
  }
  // A file may have the time of the finer clock, which the other one reaches a step later.
  static void WaitForNextTick() {
    timespec first{};
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &first);
    do {
      ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    } while (std::pair(now.tv_sec, now.tv_nsec) <= std::pair(first.tv_sec, first.tv_nsec));
  }
  void MakeGit(const std::string& at, const std::string& config = kPlainConfig) {
    folder_.Write(at + "/HEAD", "ref: refs/heads/main\n");
    folder_.MakeFolder(at + "/objects");
    folder_.MakeFolder(at + "/refs");
    folder_.Write(at + "/hooks/pre-commit.sample", "");
    folder_.Write(at + "/config", config);
  }
  void Rename(const std::string& from, const std::string& to) {
    EXPECT_EQ(::rename(folder_.At(from).c_str(), folder_.At(to).c_str()), 0) << from;
  }
  bool Exists(const std::string& at) const {
    struct stat info {};
    return ::lstat(folder_.At(at).c_str(), &info) == 0;
  }

  test::ScratchFolder folder_;
  std::string home_;
};

TEST_F(AppearedTest, NothingIsSaidOfWhatWasThere) {
  MakeGit("ws/.git", "[core]\n\tfsmonitor = true\n[alias]\n\tx = !true\n");
  folder_.Write("ws/.git/hooks/pre-commit", "");
  folder_.Write("ws/.vscode/tasks.json", "{}");
  folder_.MakeFolder("ws/real");
  folder_.MakeLink("ws/.idea", "real");
  MakeGit("ws/bare");
  Appeared appeared = Begin();
  folder_.Write("ws/new.txt", "");
  folder_.Write("ws/sub/Makefile", "");
  EXPECT_THAT(appeared.After(), IsEmpty());
  EXPECT_TRUE(Exists("ws/.git/hooks/pre-commit"));
  EXPECT_TRUE(Exists("ws/.idea"));
}

TEST_F(AppearedTest, AppearedFileIsMovedAway) {
  Appeared appeared = Begin();
  folder_.Write("ws/.vscode.blocked-1", "");
  folder_.Write("ws/.vscode/tasks.json", "{}");
  folder_.Write("ws/a/b/.envrc", "");
  folder_.MakeLink("ws/a/.mcp.json", "/etc/passwd");
  EXPECT_THAT(appeared.After(),
              UnorderedElementsAre(folder_.At("ws/.vscode runs code: it was moved to "
                                              ".vscode.blocked-2"),
                                   AllOf(HasSubstr("ws/a/b/.envrc"), HasSubstr(".envrc.blocked-1")),
                                   HasSubstr(".mcp.json.blocked-1")));
  EXPECT_FALSE(Exists("ws/.vscode"));
  EXPECT_TRUE(Exists("ws/.vscode.blocked-2/tasks.json"));
  EXPECT_TRUE(Exists("ws/a/b/.envrc.blocked-1"));
  EXPECT_TRUE(Exists("ws/a/.mcp.json.blocked-1"));
}

TEST_F(AppearedTest, AppearedHookIsMovedAway) {
  Appeared appeared = Begin();
  MakeGit("ws/.git");
  folder_.Write("ws/.git/hooks/post-checkout", "#!/bin/sh\n");
  EXPECT_THAT(appeared.After(),
              ElementsAre(HasSubstr("ws/.git was made"), HasSubstr("post-checkout.blocked-1")));
  EXPECT_TRUE(Exists("ws/.git/config"));
  EXPECT_TRUE(Exists("ws/.git/hooks/pre-commit.sample"));
  EXPECT_FALSE(Exists("ws/.git/hooks/post-checkout"));
}

TEST_F(AppearedTest, SettingsThatMayRunAProgramAreMovedAway) {
  Appeared appeared = Begin();
  MakeGit("ws/clone/.git", std::string(kPlainConfig) + "[core]\n\tfsmonitor = ./x\n");
  MakeGit("ws/bare", "[include]\n\tpath = ../x\n");
  MakeGit("ws/outer/.git");
  MakeGit("ws/outer/.git/modules/a/b", "[alias]\n\tst = !x\n");
  folder_.Write("ws/outer/.git/commondir", "../../evil");
  folder_.MakeLink("ws/linked/.git", "../evil");
  folder_.Write("ws/file/.git", "gitdir: ../evil");
  EXPECT_THAT(appeared.After().size(), 9);  // three repositories were made, six are blocked
  EXPECT_FALSE(Exists("ws/clone/.git/config"));
  EXPECT_FALSE(Exists("ws/bare/config"));
  EXPECT_TRUE(Exists("ws/outer/.git/config"));
  EXPECT_FALSE(Exists("ws/outer/.git/modules/a/b/config"));
  EXPECT_FALSE(Exists("ws/outer/.git/commondir"));
  EXPECT_FALSE(Exists("ws/linked/.git"));
  EXPECT_FALSE(Exists("ws/file/.git"));
}

TEST_F(AppearedTest, RenameOfProtectedParentIsSeen) {
  MakeGit("ws/sub/.git", "[alias]\n\tx = !true\n");
  folder_.Write("ws/sub/.vscode/tasks.json", "{}");
  Appeared appeared = Begin();
  Rename("ws/sub", "ws/x");
  MakeGit("ws/sub/.git", "[core]\n\tfsmonitor = ./x\n");
  folder_.Write("ws/sub/.git/hooks/pre-commit", "");
  folder_.Write("ws/sub/.vscode/tasks.json", "{ }");
  EXPECT_THAT(
      appeared.After(),
      UnorderedElementsAre(HasSubstr("ws/sub/.git was made"), HasSubstr("config.blocked-1"),
                           HasSubstr("pre-commit.blocked-1"), HasSubstr(".vscode.blocked-1")));
  EXPECT_TRUE(Exists("ws/x/.git/config"));  // what was protected is where it was, and unchanged
  EXPECT_TRUE(Exists("ws/x/.vscode/tasks.json"));
}

TEST_F(AppearedTest, HookInAGitFolderWithoutHooksIsMovedAway) {
  MakeGit("ws/.git", "[alias]\n\tx = !true\n");
  std::filesystem::remove_all(folder_.At("ws/.git/hooks"));
  Appeared appeared = Begin();
  folder_.Write("ws/.git/hooks/pre-commit", "");
  folder_.Write("ws/.git/config.worktree", "[core]\n\teditor = x\n");
  folder_.Write("ws/.git/worktrees/w/commondir", "../../../evil\n");
  folder_.Write("ws/.git/worktrees/good/commondir", "../..\n");
  folder_.Write("ws/.git/worktrees/good/HEAD", "ref: x\n");
  folder_.Write("ws/good/.git", "gitdir: " + folder_.At("ws/.git/worktrees/good") + "\n");
  folder_.MakeFolder("ws/.git/evil");
  folder_.Write("ws/evil/.git", "gitdir: ../.git/evil");
  EXPECT_THAT(
      appeared.After(),
      UnorderedElementsAre(HasSubstr("pre-commit.blocked-1"),
                           HasSubstr("config.worktree.blocked-1"), HasSubstr("commondir.blocked-1"),
                           HasSubstr("ws/good/.git was made"), HasSubstr("evil/.git runs code")));
  EXPECT_TRUE(Exists("ws/.git/config"));
  EXPECT_TRUE(Exists("ws/.git/worktrees/good/commondir"));
  EXPECT_TRUE(Exists("ws/good/.git"));
}

TEST_F(AppearedTest, WhatTheUserDoesInAReadOnlyWorkspaceStays) {
  MakeGit("ws/.git");
  WaitForNextTick();
  Appeared appeared = Appeared::Before(Found({.workspace = WorkspaceAccess::kRead}));
  folder_.Write("ws/.git/hooks/pre-commit", "");
  folder_.Write("ws/.vscode/tasks.json", "{}");
  EXPECT_THAT(appeared.After(), IsEmpty());
  EXPECT_TRUE(Exists("ws/.vscode"));
}

TEST_F(AppearedTest, LinkThatIsReplacedIsSeen) {
  folder_.MakeFolder("ws/real");
  folder_.MakeLink("ws/.vscode", "real");
  Appeared appeared = Begin();
  EXPECT_EQ(::unlink(folder_.At("ws/.vscode").c_str()), 0);
  folder_.Write("ws/.vscode/tasks.json", "{}");
  EXPECT_THAT(appeared.After(), ElementsAre(HasSubstr(".vscode.blocked-1")));
}

TEST_F(AppearedTest, StartFilesOfAHomeAreSeen) {
  home_ = folder_.At("ws");
  folder_.Write("ws/.bashrc", "");
  Appeared appeared = Begin();
  folder_.Write("ws/.bash_login", "");
  folder_.Write("ws/.config/autostart/x.desktop", "");
  folder_.Write("ws/tools.json", "");
  EXPECT_THAT(appeared.After(), UnorderedElementsAre(HasSubstr(".bash_login.blocked-1"),
                                                     HasSubstr("autostart.blocked-1"),
                                                     HasSubstr("tools.json.blocked-1")));
}

TEST_F(AppearedTest, ManyAreCounted) {
  Appeared appeared = Begin();
  for (int i = 0; i < 120; ++i) folder_.Write("ws/" + std::to_string(i) + "/.envrc", "");
  const std::vector<std::string> lines = appeared.After();
  ASSERT_EQ(lines.size(), 101U);
  EXPECT_EQ(lines.back(), "and 20 more");
  for (int i = 0; i < 120; ++i) EXPECT_FALSE(Exists("ws/" + std::to_string(i) + "/.envrc"));
}

TEST(GitConfig, PlainIsWhatGitWrites) {
  const auto is_plain = [](const std::string& text) {
    return IsPlainGitConfig(text, [](const std::string& value) { return value == "../good"; });
  };
  EXPECT_TRUE(is_plain(kPlainConfig));
  EXPECT_TRUE(is_plain(""));
  EXPECT_TRUE(is_plain("# a\n; b\n[core]\n\tworktree = ../good\n"));
  EXPECT_FALSE(is_plain("[core]\n\tworktree = ../bad\n"));
  for (const char* text :
       {"[core] fsmonitor = x\n", "[core]\n\tbare = \\\nfalse\n", "[CORE]\nFSMonitor=x",
        "[include]\npath = x", "[remote \"a\"]\nurl = ext::sh -c x", "[remote \"a\"]\nvcs = x",
        "[core]\n\thooksPath = x\n", "[filter \"x\"]\nclean = y", "garbage", "[core\nbare = false",
        "[a]b=c]\n"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(is_plain(text));
  }
}

}  // namespace
}  // namespace cursorwire::sandbox
