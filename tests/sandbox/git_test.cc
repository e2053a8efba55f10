// Real git in the sandbox, and what a repository may plant for it.
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/sandbox.h"
#include "process/child_process.h"
#include "process/find_program.h"
#include "sandbox/sandbox_fixture.h"

namespace cursorwire::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace fs = std::filesystem;

SandboxPolicy WithGitWrite() { return {.git_write = true}; }

std::string ReadGitFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// With what each is and how large, so that a file in the place of a folder is seen.
std::set<std::string> EverythingIn(const std::string& folder) {
  std::set<std::string> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    struct stat found {};
    EXPECT_EQ(::lstat(entry.path().c_str(), &found), 0) << entry.path();
    all.insert(absl::StrCat(entry.path().string(), " ", found.st_mode, " ",
                            S_ISDIR(found.st_mode) ? 0 : found.st_size));
  }
  return all;
}

// A variable of this process, while it lives.
class ScratchVariable {
 public:
  ScratchVariable(const char* name, const char* value) : name_(name) {
    EXPECT_EQ(::setenv(name, value, 1), 0);
  }
  ~ScratchVariable() { ::unsetenv(name_); }
  ScratchVariable(const ScratchVariable&) = delete;
  ScratchVariable& operator=(const ScratchVariable&) = delete;

 private:
  const char* const name_;
};

class GitTest : public SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!process::FindProgram("git", "/usr/local/bin:/usr/bin:/bin", "/").ok()) {
      GTEST_SKIP() << "there is no git";
    }
  }

  // A repository with one commit.
  void MakeRepository(const std::string& relative) {
    folder().MakeFolder(relative);
    const SandboxRun run = RunOutside("cd '" + folder().At(relative) +
                                      "' && git init -q && git checkout -q -b main && echo a > a "
                                      "&& git add a && git commit -q -m first");
    ASSERT_EQ(run.exit_code, 0) << Text(run);
  }

  // Of the subjects of all commits, the last first.
  std::string Log(const std::string& relative, const std::string& branch = "main") {
    return RunOutside("git -C '" + folder().At(relative) + "' log --format=%s " + branch).out;
  }
};

TEST_F(GitTest, GitCommitFailsReadOnlyStatusWorks) {
  MakeRepository("workspace");
  folder().Write("workspace/a", "changed\n");
  const SandboxRun look = Run({}, "git status --porcelain && git diff && git log --format=%s");
  EXPECT_EQ(look.exit_code, 0) << Text(look);
  EXPECT_THAT(look.out, AllOf(HasSubstr(" M a"), HasSubstr("+changed"), HasSubstr("first")));

  const std::set<std::string> before = EverythingIn(folder().At("workspace/.git"));
  for (const char* line :
       {"git add a", "git commit -a -m second", "git commit --allow-empty -m second",
        "git config core.pager x", "git branch other", "git gc -q --prune=now",
        "echo x > .git/hooks/pre-commit", "rm -rf .git", "mv .git x", "chmod +x .git/config"}) {
    SCOPED_TRACE(line);
    const SandboxRun run = Run({}, line);
    EXPECT_NE(run.exit_code, 0) << Text(run);
    EXPECT_THAT(run.err, AnyOf(HasSubstr("Read-only file system"), HasSubstr("busy"))) << Text(run);
  }
  // It says nothing.
  EXPECT_NE(Run({}, "git stash").exit_code, 0);
  EXPECT_EQ(EverythingIn(folder().At("workspace/.git")), before);
  EXPECT_EQ(Log("workspace"), "first\n");
}

TEST_F(GitTest, GitWriteAllowsCommit) {
  MakeRepository("workspace");
  const SandboxRun run =
      Run(WithGitWrite(), "echo b > b && git add b && git commit -q -m second && git status -s");
  EXPECT_EQ(run.exit_code, 0) << Text(run);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(Log("workspace"), "second\nfirst\n");
}

// It opens commits, not what git runs later outside.
TEST_F(GitTest, GitWriteOpensNoHooksNorSettings) {
  MakeRepository("workspace");
  const std::string settings = ReadGitFile(folder().At("workspace/.git/config"));
  const SandboxRun run = Run(WithGitWrite(),
                             "printf '#!/bin/sh\\ntouch ran\\n' > .git/hooks/pre-commit && "
                             "chmod +x .git/hooks/pre-commit; git config core.fsmonitor ./x");
  const bool hook = fs::exists(folder().At("workspace/.git/hooks/pre-commit"));
  const bool changed = ReadGitFile(folder().At("workspace/.git/config")) != settings;
  EXPECT_TRUE((!hook && !changed) || !run.end.appeared.empty())
      << "neither held nor told: " << Text(run);
}

TEST_F(GitTest, WorktreeCommitWithGitWrite) {
  MakeRepository("main");
  const SandboxRun made = RunOutside("git -C '" + folder().At("main") +
                                     "' worktree add -q -b side '" + workspace() + "'");
  ASSERT_EQ(made.exit_code, 0) << Text(made);

  const SandboxRun closed = Run({}, "echo b > b && git add b && git commit -q -m second");
  EXPECT_NE(closed.exit_code, 0) << Text(closed);
  EXPECT_THAT(closed.err, HasSubstr("Read-only file system"));
  const SandboxRun run =
      Run(WithGitWrite(), "echo b > b && git add b && git commit -q -m second && git status -s");
  EXPECT_EQ(run.exit_code, 0) << Text(run);
  EXPECT_EQ(Log("main", "side"), "second\nfirst\n");
  EXPECT_EQ(Log("main"), "first\n");
  // The files of the main folder are no part of the workspace.
  const SandboxRun other = Run(WithGitWrite(), "echo x > '" + folder().At("main/a") + "'");
  EXPECT_NE(other.exit_code, 0) << Text(other);
}

// What the repository itself says about where its `.git` lies must not open a foreign one.
TEST_F(GitTest, PlantedGitfileOpensNothing) {
  MakeRepository("foreign");
  folder().Write("foreign/.git/worktrees/x/gitdir", folder().At("elsewhere/.git") + "\n");
  folder().Write("foreign/.git/worktrees/x/commondir", "../..\n");
  folder().Write("foreign/.git/worktrees/x/HEAD", "ref: refs/heads/main\n");
  folder().Write("plain/file", "x\n");
  const std::set<std::string> before = EverythingIn(folder().At("foreign"));
  for (const char* target :
       {"foreign/.git", "foreign/.git/worktrees/x", "foreign", "plain", "home", "outside", ""}) {
    SCOPED_TRACE(target);
    folder().Write("workspace/.git", "gitdir: " + folder().At(target) + "\n");
    const SandboxRun run =
        Run(WithGitWrite(), "cd '" + folder().At(target) +
                                "' && for folder in . .. ../..; do touch $folder/planted; done; "
                                "git commit --allow-empty -q -m planted");
    EXPECT_TRUE(!run.status.ok() || run.exit_code != 0) << Text(run);
    EXPECT_EQ(EverythingIn(folder().At("foreign")), before);
    for (const char* place : {"planted", "plain/planted", "home/planted", "outside/planted"}) {
      EXPECT_FALSE(fs::exists(folder().At(place))) << place;
    }
  }
}

TEST_F(GitTest, SymlinkedGitIsProtectedOrRefused) {
  MakeRepository("outside/real");
  folder().MakeLink("workspace/.git", folder().At("outside/real/.git"));
  const std::set<std::string> before = EverythingIn(outside());
  const SandboxRun run = Run({},
                             "rm .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; "
                             "chmod +x .git/hooks/pre-commit");
  if (!run.status.ok()) {
    EXPECT_EQ(run.status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(run.status.message(), HasSubstr(".git"));
  }
  EXPECT_FALSE(fs::exists(folder().At("workspace/.git/hooks/pre-commit"))) << Text(run);
  EXPECT_EQ(EverythingIn(outside()), before);
}

// Of a link to a folder of the workspace, too.
TEST_F(GitTest, GitSymlinkWithinTheWorkspaceIsProtectedOrRefused) {
  MakeRepository("workspace/real");
  folder().MakeLink("workspace/.git", "real/.git");
  const SandboxRun run = Run({},
                             "rm .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; "
                             "echo x > real/.git/hooks/pre-commit");
  if (!run.status.ok()) {
    EXPECT_EQ(run.status.code(), absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_FALSE(fs::exists(folder().At("workspace/.git/hooks/pre-commit"))) << Text(run);
  EXPECT_FALSE(fs::exists(folder().At("workspace/real/.git/hooks/pre-commit"))) << Text(run);
}

// A repository in a folder: its own name cannot change; that of the folder may, which is found.
TEST_F(GitTest, RenameOfProtectedParentIsBusyOrFound) {
  MakeRepository("workspace");
  MakeRepository("workspace/sub");
  const SandboxRun own = Run({}, "mv sub/.git x || mv .git x");
  EXPECT_NE(own.exit_code, 0) << Text(own);
  EXPECT_THAT(own.err, AnyOf(HasSubstr("busy"), HasSubstr("Read-only file system")));

  const SandboxRun run = Run({},
                             "mv sub x && mkdir -p sub/.git/hooks && cd sub && "
                             "echo 'ref: refs/heads/main' > .git/HEAD && "
                             "printf '#!/bin/sh\\n' > .git/hooks/post-checkout && "
                             "chmod +x .git/hooks/post-checkout");
  EXPECT_FALSE(fs::exists(folder().At("workspace/sub/.git/hooks/post-checkout"))) << Text(run);
  if (run.exit_code == 0) {
    EXPECT_THAT(run.end.appeared, Not(IsEmpty()));
    EXPECT_THAT(absl::StrJoin(run.end.appeared, "\n"), HasSubstr("sub/.git"));
  }
}

TEST_F(GitTest, AppearedNamesAreTold) {
  const SandboxRun run = Run({},
                             "git init -q new && mkdir -p deep/er .vscode && "
                             "printf '#!/bin/sh\\n' > new/.git/hooks/post-checkout && "
                             "chmod +x new/.git/hooks/post-checkout && "
                             "echo '{}' > .vscode/tasks.json && echo '{}' > .mcp.json && "
                             "echo true > deep/er/.envrc");
  ASSERT_EQ(run.exit_code, 0) << Text(run);
  const std::string told = absl::StrJoin(run.end.appeared, "\n");
  EXPECT_THAT(told, AllOf(HasSubstr("new/.git"), HasSubstr(".vscode"), HasSubstr(".mcp.json"),
                          HasSubstr("deep/er/.envrc")));
  for (const char* file : {"new/.git/hooks/post-checkout", ".mcp.json", "deep/er/.envrc"}) {
    EXPECT_FALSE(fs::exists(workspace() + "/" + file)) << file << ": " << Text(run);
  }
  // What `git init` makes is kept.
  EXPECT_TRUE(fs::exists(folder().At("workspace/new/.git/HEAD"))) << Text(run);
}

// What a command leaves in the workspace for the git of the user, who looks at it later. "RUN"
// stands for a program that tells that it was run.
struct Plant {
  const char* name;
  const char* line;
  const char* look;
};

constexpr Plant kPlants[] = {
    {"settings of a new repository", "git init -q new && git -C new config core.fsmonitor RUN",
     "git -C new status"},
    {"a hook of a new repository", "git init -q new && cp RUN new/.git/hooks/pre-commit",
     "git -C new commit --allow-empty -m x"},
    {"a folder of hooks",
     "git init -q new && mkdir h && cp RUN h/pre-commit && "
     "git -C new config core.hooksPath \"$PWD/h\"",
     "git -C new commit --allow-empty -m x"},
    {"included settings",
     "git init -q new && git config -f other core.fsmonitor RUN && "
     "git -C new config include.path \"$PWD/other\"",
     "git -C new status"},
    {"a git folder elsewhere",
     "git init -q --separate-git-dir=elsewhere new && git -C new config core.fsmonitor RUN",
     "git -C new status"},
    {"a folder that looks like a git folder",
     "mkdir -p f/refs f/objects && echo ref: refs/heads/x > f/HEAD && "
     "printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=.\\nfsmonitor=RUN\\n' > "
     "f/config",
     "git -C f status"},
    {"a workspace that looks like a git folder",
     "mkdir -p refs objects && echo ref: refs/heads/x > HEAD && "
     "printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=.\\nfsmonitor=RUN\\n' > "
     "config",
     "git status"},
    {"a repository in the place of one",
     "mv sub other && git init -q sub && "
     "git -C sub config core.fsmonitor RUN",
     "git -C sub status"},
    {"a copy in the place of a repository",
     "mv sub other && cp -r other sub && git -C sub config core.fsmonitor RUN",
     "git -C sub status"},
    {"settings of a repository", "git -C sub config core.fsmonitor RUN", "git -C sub status"},
    {"a file of git in its place",
     "mv sub other && git init -q deep && git -C deep config core.fsmonitor RUN && mkdir sub && "
     "echo \"gitdir: $PWD/deep/.git\" > sub/.git",
     "git -C sub status"},
    {"a link in its place",
     "mv sub other && git init -q deep && git -C deep config core.fsmonitor RUN && ln -s deep sub",
     "git -C sub status"},
    {"a workspace that is a repository", "git init -q && git config core.fsmonitor RUN",
     "git status"},
    {"a workspace with a link to a git folder",
     "git init -q deep && git -C deep config core.fsmonitor RUN && ln -s deep/.git .git",
     "git status"},
    {"a workspace with a file that leads to a git folder",
     "git init -q deep && git -C deep config core.fsmonitor RUN && echo gitdir: deep/.git > .git",
     "git status"},
    {"settings of another git folder",
     "git init -q new && git init -q deep && git -C deep config core.fsmonitor RUN && "
     "echo \"$PWD/deep/.git\" > new/.git/commondir",
     "git -C new status"},
    {"settings of a worktree",
     "git init -q new && cd new && git commit -q --allow-empty -m x && "
     "git worktree add -q ../tree && cd ../tree && git config extensions.worktreeConfig true && "
     "git config --worktree core.fsmonitor RUN",
     "git -C tree status"},
    {"a submodule",
     "git init -q new && git -c protocol.file.allow=always -C new submodule --quiet add "
     "\"$PWD/sub\" part && git -C new/part config core.fsmonitor RUN",
     "git -C new status"}};

// With `git_write`, in a workspace that is a repository.
constexpr Plant kPlantsWithGitWrite[] = {
    {"settings", "git config core.fsmonitor RUN", "git status"},
    {"a file in the place of the settings",
     "cp .git/config c && git config -f c core.fsmonitor RUN && mv c .git/config", "git status"},
    {"a hook", "mkdir -p .git/hooks && cp RUN .git/hooks/pre-commit",
     "git commit --allow-empty -m x"},
    {"a folder in the place of the hooks",
     "(mv .git/hooks .git/h || true) && mkdir .git/hooks && cp RUN .git/hooks/pre-commit",
     "git commit --allow-empty -m x"},
    {"a copy of the git folder", "mv .git g && cp -r g .git && git config core.fsmonitor RUN",
     "git status"},
    {"settings of another git folder",
     "git init -q deep && git -C deep config core.fsmonitor RUN && "
     "echo \"$PWD/deep/.git\" > .git/commondir",
     "git status"},
    {"settings of a worktree",
     "git worktree add -q tree && cd tree && git config extensions.worktreeConfig true && "
     "git config --worktree core.fsmonitor RUN",
     "git -C tree status"},
    {"a hook in a repository that was renamed",
     "mv sub x && mkdir -p x/.git/hooks && cp RUN x/.git/hooks/pre-commit",
     "git -C x commit --allow-empty -m x"},
    {"settings of another git folder in a repository that was renamed",
     "mv sub x && git init -q deep && git -C deep config core.fsmonitor RUN && "
     "echo \"$PWD/deep/.git\" > x/.git/commondir",
     "git -C x status"}};

class PlantTest : public GitTest {
 protected:
  // A workspace with a repository in "sub", and nothing planted.
  void Restore() {
    for (const fs::directory_entry& entry : fs::directory_iterator(workspace())) {
      fs::remove_all(entry.path());
    }
    fs::remove(folder().At("outside/ran"));
    MakeRepository("workspace/sub");
    folder().Write("tool/run", "#!/bin/sh\ntouch '" + folder().At("outside/ran") + "'\n");
    fs::permissions(folder().At("tool/run"), fs::perms::owner_all);
  }

  std::string Line(const Plant& plant) const {
    const std::string program = folder().At("tool/run");
    std::string line = plant.line;
    for (size_t at = 0; (at = line.find("RUN", at)) != std::string::npos; at += program.size()) {
      line.replace(at, 3, program);
    }
    return line;
  }

  bool RunsSomething(const Plant& plant) {
    RunOutside(plant.look);
    return fs::exists(folder().At("outside/ran"));
  }
};

TEST_F(PlantTest, NothingPlantedRunsOutside) {
  for (const Plant& plant : kPlants) {
    SCOPED_TRACE(plant.name);
    Restore();
    const SandboxRun free = RunOutside(Line(plant));
    EXPECT_EQ(free.exit_code, 0) << Text(free);
    EXPECT_TRUE(RunsSomething(plant)) << "without a sandbox nothing runs: this proves nothing";

    Restore();
    const SandboxRun run = Run({}, Line(plant));
    EXPECT_FALSE(RunsSomething(plant)) << Text(run);
    if (run.exit_code == 0) {
      EXPECT_THAT(run.end.appeared, Not(IsEmpty())) << Text(run);
    }
  }
}

TEST_F(PlantTest, NothingPlantedWithGitWriteRunsOutside) {
  for (const bool has_hooks : {true, false}) {
    for (const Plant& plant : kPlantsWithGitWrite) {
      SCOPED_TRACE(absl::StrCat(plant.name, has_hooks ? "" : ", without a folder of hooks"));
      const auto restore = [this, has_hooks] {
        Restore();
        MakeRepository("workspace");
        if (has_hooks) return;
        fs::remove_all(folder().At("workspace/.git/hooks"));
        fs::remove_all(folder().At("workspace/sub/.git/hooks"));
      };
      restore();
      const SandboxRun free = RunOutside(Line(plant));
      EXPECT_EQ(free.exit_code, 0) << Text(free);
      EXPECT_TRUE(RunsSomething(plant)) << "without a sandbox nothing runs: this proves nothing";

      restore();
      const SandboxRun run = Run(WithGitWrite(), Line(plant));
      EXPECT_FALSE(RunsSomething(plant)) << Text(run);
    }
  }
}

TEST_F(GitTest, NoGhostFilesAfterwards) {
  folder().Write("workspace/a", "a\n");
  SandboxPolicy policy;
  policy.hidden = {folder().At("workspace/absent"), folder().At("outside/absent")};
  policy.writable = {folder().At("outside/absent-too")};
  const std::set<std::string> before = EverythingIn(folder().path());
  for (const bool is_repository : {false, true}) {
    SCOPED_TRACE(is_repository);
    if (is_repository) MakeRepository("workspace");
    const std::set<std::string> now = is_repository ? EverythingIn(folder().path()) : before;
    const SandboxRun run = Run(policy, "true");
    EXPECT_EQ(run.exit_code, 0) << Text(run);
    EXPECT_TRUE(run.end.setup.ok()) << run.end.setup;
    EXPECT_THAT(run.end.appeared, IsEmpty());
    EXPECT_EQ(EverythingIn(folder().path()), now);
  }
}

TEST_F(GitTest, IgnoredFileIsHidden) {
  MakeRepository("workspace");
  folder().Write("workspace/sub/private.txt", "SECRET\n");
  folder().Write("workspace/folder/private.txt", "SECRET\n");
  SandboxPolicy policy;
  policy.hidden = {folder().At("workspace/sub/private.txt"), folder().At("workspace/folder")};
  for (const char* line : {"cat sub/private.txt folder/private.txt", "grep -r SECRET . ",
                           "git add -A && git diff --cached", "git hash-object -w sub/private.txt",
                           "cp -r folder copy; cat copy/*", "mv sub moved; cat moved/private.txt",
                           "mv folder other; cat other/private.txt", "tar cf - . | tr -d '\\0'",
                           "ln sub/private.txt l; cat l", "cat /proc/self/root\"$PWD\"/sub/*"}) {
    SCOPED_TRACE(line);
    const SandboxRun run = Run(policy, line);
    EXPECT_TRUE(run.status.ok()) << run.status;
    EXPECT_THAT(run.out, Not(HasSubstr("SECRET"))) << Text(run);
    if (fs::exists(folder().At("workspace/moved"))) {
      fs::rename(folder().At("workspace/moved"), folder().At("workspace/sub"));
    }
  }
  EXPECT_EQ(ReadGitFile(folder().At("workspace/sub/private.txt")), "SECRET\n");
  EXPECT_EQ(ReadGitFile(folder().At("workspace/folder/private.txt")), "SECRET\n");
}

TEST_F(GitTest, SecretsAreHidden) {
  const std::vector<std::string> files = {".ssh/id_ed25519",
                                          ".ssh/keys/one",
                                          ".gnupg/private-keys-v1.d/x.key",
                                          ".aws/credentials",
                                          ".azure/msal_token_cache.json",
                                          ".config/gcloud/credentials.db",
                                          ".kube/config",
                                          ".docker/config.json",
                                          ".netrc",
                                          ".git-credentials",
                                          ".config/cursor/auth.json",
                                          ".config/cursorwire/credentials.json",
                                          ".mozilla/firefox/x.default/logins.json",
                                          ".config/google-chrome/Default/Login Data"};
  for (const std::string& file : files) folder().Write("home/" + file, "SECRET of " + file + "\n");
  folder().Write("home/.ssh/known_hosts", "example.com ssh-ed25519 AAAA\n");
  folder().Write("home/.gitconfig", "[user]\n\tname = B\n");
  for (const bool network : {false, true}) {
    const SandboxRun run = Run({.network = network},
                               "grep -rs SECRET \"$HOME\"; cat \"$HOME\"/.ssh/known_hosts; "
                               "git config user.name");
    EXPECT_TRUE(run.status.ok()) << run.status;
    EXPECT_THAT(run.out, Not(HasSubstr("SECRET")));
    EXPECT_THAT(run.out, HasSubstr("example.com ssh-ed25519")) << Text(run);
    EXPECT_THAT(run.out, HasSubstr("B\n")) << Text(run);
  }
}

// Which variables a command gets is decided before; the sandbox takes those that lead to servers
// outside, and adds none of this process. Nor has any process that can be seen inside others.
TEST_F(GitTest, EnvironmentHasNoSecrets) {
  process::Program program = Shell(
      "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; "
      "tr '\\0' ' ' < /proc/1/cmdline");
  for (const char* name : {"SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "GPG_AGENT_INFO",
                           "XDG_RUNTIME_DIR", "DOCKER_HOST"}) {
    program.environment.push_back(absl::StrCat(name, "=", outside(), "/PRIVATE"));
  }
  program.environment.push_back("KEPT=as it was");
  const ScratchVariable own("CURSORWIRE_SCRATCH", "PRIVATE");
  environment() = program.environment;
  environment().push_back("GITHUB_TOKEN=PRIVATE");
  environment().push_back("CURSOR_API_KEY=PRIVATE");
  const SandboxRun run = Run({}, program);
  EXPECT_EQ(run.exit_code, 0) << Text(run);
  EXPECT_THAT(run.out, HasSubstr("KEPT=as it was"));
  EXPECT_THAT(run.out, HasSubstr("HOME=" + home()));
  EXPECT_THAT(run.out, Not(HasSubstr("PRIVATE")));
}

}  // namespace
}  // namespace cursorwire::test
