#include "workspace/fs/code_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "workspace/edit/file_delete.h"
#include "workspace/edit/file_write.h"
#include "workspace/recorded_policy.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::RecordedPolicy;
using test::ScratchFolder;

TEST(CodeFile, IsKnownByItsName) {
  const struct {
    const char* name;
    bool expected;
  } cases[] = {
      {".git", true},
      {".GIT", true},
      {".giT.", true},
      {".git . ", true},
      {"git~1", true},
      {"GIT~12", true},
      {".g\u200Cit", true},
      {"\uFEFF.git", true},
      {".gi\u00ADt", true},
      {".husky", true},
      {".vscode", true},
      {".VSCode", true},
      {".idea", true},
      {".cursor", true},
      {".devcontainer", true},
      {".claude", true},
      {".envrc", true},
      {".mcp.json", true},
      {".hg", true},
      {".zed", true},
      {".helix", true},
      {".pre-commit-config.yaml", true},
      {"lefthook.yml", true},
      {".lefthook.yaml", true},
      {"lefthook-local.yml", true},
      {".lefthook-local.JSONC", true},
      {"lefthook.toml", true},
      {".pre-commit-config.yml", true},
      {"prek.toml", true},
      {".jj", true},
      {".sl", true},
      {".devcontainer.json", true},
      {"x.code-workspace", true},
      {"X.Code-Workspace.", true},
      {".vs", true},
      {".qwen", true},
      {".continue", true},
      {".amazonq", true},
      {"crush.json", true},
      {".yarnrc", true},
      {".pnpmfile.cjs", true},
      {"mise.toml", true},
      {".mise.local.toml", true},
      {"mise.dev.toml", true},
      {"mise", false},
      {"promise.toml", false},
      {".clinerules", true},
      {".aider.conf.yml", true},
      {".gemini", true},
      {".codex", true},
      {".kiro", true},
      {".windsurf", true},
      {".roo", true},
      {"opencode.json", true},
      {".cargo", true},
      {".yarnrc.yml", true},
      {".npmrc", true},
      {"", false},
      {".", false},
      {"..", false},
      {"git", false},
      {"git~", false},
      {"git~1a", false},
      {".github", false},
      {".gitignore", false},
      {".gitattributes", false},
      {".gitmodules", false},
      {"x.git", false},
      {"cursor", false},
      {"Makefile", false},
      {"lefthook", false},
      {"lefthook.md", false},
      {"lefthook-remote.yml", false},
      {"yarnrc", false},
      {"code-workspace", false},
      {"\xFF\xFE", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(IsNameOfCode(c.name), c.expected);
  }
}

// What the policy of a handler is told.
class CodeFileTest : public testing::TestWithParam<Resolver> {
 protected:
  bool WriteRunsCode(const std::string& path) {
    options_.policy = policy_.Get();
    const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path(), GetParam());
    EXPECT_THAT(WriteFile({*workspace, options_, options_.policy, known_},
                          {.path = path, .content = "new"}, {}),
                IsOk());
    return policy_.last<WriteAction>().runs_code;
  }
  bool DeleteRunsCode(const std::string& path) {
    options_.policy = policy_.Get();
    const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path(), GetParam());
    EXPECT_THAT(DeleteFile({*workspace, options_, options_.policy, known_}, {.path = path}, {}),
                IsOk());
    return policy_.last<DeleteAction>().runs_code;
  }

  ScratchFolder scratch_;
  RecordedPolicy policy_;
  LocalExecOptions options_;
  KnownFiles known_;
};

INSTANTIATE_TEST_SUITE_P(Resolvers, CodeFileTest,
                         testing::Values(Resolver::kKernel, Resolver::kWalk), [](const auto& test) {
                           return test.param == Resolver::kKernel ? "Kernel" : "Walk";
                         });

TEST_P(CodeFileTest, IsKnownHoweverThePathIsWritten) {
  scratch_.Write(".git/config", "old");
  scratch_.Write("sub/x", "old");
  scratch_.MakeLink("link", ".git");
  scratch_.MakeLink("file", ".git/config");
  scratch_.MakeLink("sub/up", "..");
  for (const char* path :
       {".git/config", "./.git//config", "sub/../.git/config", "link/config", "file",
        "sub/up/.git/config", "link/hooks/new", ".git/hooks/new", "sub/.git", "deep/er/.Git/config",
        ".vscode/tasks.json", "sub/.cursor/mcp.json", ".config/mise/conf.d/a.toml",
        "sub/mise/config.toml", "mise/conf.d/a.toml", "mise/config.dev.toml"}) {
    SCOPED_TRACE(path);
    EXPECT_TRUE(WriteRunsCode(path));
  }
  EXPECT_TRUE(WriteRunsCode(scratch_.At(".git/config")));
  EXPECT_TRUE(WriteRunsCode("file://" + scratch_.At(".git/config")));
  EXPECT_FALSE(WriteRunsCode("sub/x"));
  EXPECT_FALSE(WriteRunsCode(".gitignore"));
  EXPECT_FALSE(WriteRunsCode("head/x"));
  EXPECT_FALSE(WriteRunsCode("mise/main.rs"));
  EXPECT_FALSE(WriteRunsCode(".config/x"));
}

TEST_P(CodeFileTest, IsKnownBelowAFolderOfGitWithAnyName) {
  scratch_.Write("bare/HEAD", "ref: refs/heads/main\n");
  scratch_.Write("bare/refs/x", "old");
  EXPECT_TRUE(WriteRunsCode("bare/config"));
  EXPECT_TRUE(WriteRunsCode("bare/refs/x"));
  EXPECT_TRUE(WriteRunsCode("bare/hooks/deeper/new"));
  EXPECT_FALSE(WriteRunsCode("other/config"));
  EXPECT_FALSE(WriteRunsCode("barely"));
  // To make one is to write this.
  EXPECT_TRUE(WriteRunsCode("other/HEAD"));
  EXPECT_TRUE(WriteRunsCode("other/config"));
}

// A clone keeps this link, and git takes it without a look at where it leads.
TEST_P(CodeFileTest, IsKnownBelowAFolderOfGitWhoseHeadLeadsNowhere) {
  scratch_.MakeLink("data/HEAD", "refs/heads/main");
  EXPECT_TRUE(WriteRunsCode("data/config"));
  EXPECT_TRUE(WriteRunsCode("data/deep/er/new"));
  EXPECT_FALSE(WriteRunsCode("other/config"));
}

// Others can go through such a folder, too.
TEST_P(CodeFileTest, IsKnownInAFolderThatCannotBeListed) {
  scratch_.Write("x/shared/tasks.json", "old");
  scratch_.Write("x/other/y", "old");
  scratch_.MakeLink("x/.vscode", "shared");
  constexpr uid_t kNobody = 65534;
  for (const char* path : {"", "x", "x/shared", "x/shared/tasks.json", "x/other", "x/other/y"}) {
    ASSERT_EQ(::geteuid() == 0 ? ::chown(scratch_.At(path).c_str(), kNobody, kNobody) : 0, 0);
  }
  ASSERT_EQ(::chmod(scratch_.At("x").c_str(), 0311), 0);
  const uid_t user = ::geteuid();
  ASSERT_EQ(::seteuid(user == 0 ? kNobody : user), 0);  // root may list everything
  const bool is_code = WriteRunsCode("x/shared/tasks.json");
  const bool is_other = WriteRunsCode("x/other/y");
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_TRUE(is_code);
  EXPECT_FALSE(is_other);
  ASSERT_EQ(::chmod(scratch_.At("x").c_str(), 0700), 0);
}

TEST_P(CodeFileTest, IsKnownWhenItIsDeleted) {
  scratch_.Write(".git/hooks/pre-commit", "x");
  scratch_.Write("sub/.git", "gitdir: ../x");
  scratch_.Write("x", "x");
  scratch_.MakeLink("link", ".git");
  scratch_.MakeLink(".vscode", "x");
  EXPECT_TRUE(DeleteRunsCode("link/hooks/pre-commit"));
  EXPECT_TRUE(DeleteRunsCode("sub/.git"));
  EXPECT_TRUE(DeleteRunsCode(".vscode"));
  EXPECT_FALSE(DeleteRunsCode("link"));  // which is no part of what it points to
  EXPECT_FALSE(DeleteRunsCode("x"));
}

TEST_P(CodeFileTest, IsKnownWhereItsNameIsALink) {
  scratch_.Write("shared/settings.json", "old");
  scratch_.Write("other/x", "old");
  scratch_.Write("env.sh", "old");
  scratch_.Write("sub/x", "old");
  scratch_.MakeLink(".vscode", "shared");
  scratch_.MakeLink(".envrc", "env.sh");
  scratch_.MakeLink(".npmrc", "made-later");
  scratch_.Write("tools/m.txt", "old");
  scratch_.MakeLink("mise.toml", "tools/m.txt");
  scratch_.MakeLink("lefthook.yml", "hooks-made-later");
  scratch_.MakeLink("sub/.claude", "../other");
  scratch_.MakeLink(".zed", "/etc");  // which leads out, where nothing is written
  for (const char* path :
       {".vscode/tasks.json", "shared/settings.json", "shared/deep/er/new", ".envrc", "env.sh",
        "made-later", "sub/.claude/settings.json", "tools/m.txt", "hooks-made-later"}) {
    SCOPED_TRACE(path);
    EXPECT_TRUE(WriteRunsCode(path));
  }
  EXPECT_TRUE(DeleteRunsCode("shared/settings.json"));
  EXPECT_FALSE(WriteRunsCode("sub/x"));
  EXPECT_FALSE(WriteRunsCode("share/x"));
  EXPECT_FALSE(WriteRunsCode("env.sh.txt"));
  // A link that lies beside is found through itself alone.
  EXPECT_FALSE(WriteRunsCode("other/x"));
}

TEST_P(CodeFileTest, IsKnownWhereALinkLeavesTheFolderAndComesBack) {
  const std::string name = scratch_.path().substr(scratch_.path().rfind('/') + 1);
  scratch_.Write("shared/settings.json", "old");
  scratch_.Write("x", "old");
  scratch_.MakeLink(".vscode", "../" + name + "/shared");
  scratch_.MakeLink(".idea", scratch_.At("other"));
  scratch_.MakeLink(".envrc", "../" + name + "/env.sh");
  for (const char* path : {"shared/settings.json", "shared/new", "other/new", "env.sh"}) {
    SCOPED_TRACE(path);
    EXPECT_TRUE(WriteRunsCode(path));
  }
  EXPECT_FALSE(WriteRunsCode("x"));
  // It leads to the folder in which a program runs, whichever that is.
  scratch_.MakeLink(".helix", "/proc/self/cwd/far");
  EXPECT_TRUE(WriteRunsCode("x"));
}

// Each of many names leads through as many others as links can have, one after the other.
TEST_P(CodeFileTest, IsKnownInBoundedTimeWhereLinksAreMadeToTakeLong) {
  std::string far;
  while (far.size() < 4000) far += "gone/../";
  for (int link = 0; link < 39; ++link) {
    scratch_.MakeLink("l" + std::to_string(link), far + "l" + std::to_string(link + 1));
  }
  for (const char* name : {".vscode", ".idea", ".zed", ".helix", ".claude", ".codex", ".npmrc"}) {
    scratch_.MakeLink(name, "l0");
  }
  scratch_.Write("x", "old");
  EXPECT_TRUE(WriteRunsCode("x"));
}

TEST_P(CodeFileTest, IsWhateverTheHostSays) {
  scratch_.Write("tools.json", "[]");
  scratch_.Write("real/servers.json", "{}");
  scratch_.Write("x", "x");
  scratch_.MakeLink("servers.json", "real/servers.json");
  ASSERT_EQ(::link(scratch_.At("tools.json").c_str(), scratch_.At("other.json").c_str()), 0);
  options_.code_files = {scratch_.At("tools.json"), scratch_.At("servers.json"),
                         scratch_.At("later/now.sh"), scratch_.At("dangling.sh")};
  scratch_.MakeLink("dangling.sh", "made/later.sh");
  for (const char* path : {"other.json", "tools.json", "servers.json", "real/servers.json",
                           "later/now.sh", "made/later.sh"}) {
    SCOPED_TRACE(path);
    EXPECT_TRUE(WriteRunsCode(path));
  }
  EXPECT_TRUE(DeleteRunsCode("tools.json"));
  EXPECT_FALSE(WriteRunsCode("x"));
  EXPECT_FALSE(WriteRunsCode("later/other.sh"));
}

TEST(CodeFile, IsAllOfAWorkspaceWithinAFolderOfGit) {
  const ScratchFolder scratch;
  scratch.Write(".git/modules/a/x", "x");
  const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch.At(".git/modules"));
  ASSERT_THAT(workspace, IsOk());
  EXPECT_TRUE(RunsCode(*workspace, "a/x", scratch.At(".git/modules/a/x")));
}

}  // namespace
}  // namespace cursorwire::workspace
