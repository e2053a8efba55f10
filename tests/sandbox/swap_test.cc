// What changes between the look at the workspace and the mounts, or between two commands: a command
// in the background can do it.
#include <absl/status/statusor.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "cursorwire/sandbox.h"
#include "process/child_process.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_fixture.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

// Between the look for places and the mounts, another command puts a link in the place of a folder.
class SwapTest : public SandboxTest {
 protected:
  void MakeGitFolder(const std::string& relative) {
    folder().Write(relative + "/HEAD", "ref: refs/heads/main\n");
    folder().Write(relative + "/config", "[core]\n\tbare = false\n");
    for (const char* name : {"/hooks", "/objects", "/refs"}) folder().MakeFolder(relative + name);
  }

  static testing::Matcher<absl::Status> IsChange() {
    return StatusIs(absl::StatusCode::kAborted, HasSubstr("run the command again"));
  }

  // `swap` is run outside when the sandbox has been prepared for `line`.
  SandboxRun RunAfter(const SandboxPolicy& policy, const std::string& swap,
                      const std::string& line) {
    process::Program program = Shell(line);
    const FileDescriptor own(::open(workspace().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    program.folder = own.get();
    absl::StatusOr<std::unique_ptr<sandbox::SandboxedCommand>> command =
        sandbox()->Prepare(policy, program);
    if (!command.ok()) return {.status = command.status()};
    EXPECT_EQ(RunOutside(swap).exit_code, 0);
    absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
        process::ChildProcess::Start((*command)->program(), process::ChildInput::kNone, running());
    if (!child.ok()) return {.status = child.status()};
    if (absl::Status admitted = (*command)->Admit(); !admitted.ok()) return {.status = admitted};
    return StartedCommand(*std::move(command), *std::move(child)).Finish();
  }
};

// A command can rename the folder of a hidden file, and the next one looks for it elsewhere.
TEST_F(SwapTest, HiddenFileOfARenamedFolderStaysHidden) {
  folder().Write("workspace/sub/private.txt", "SECRET\n");
  SandboxPolicy policy;
  policy.hidden = {folder().At("workspace/sub/private.txt")};
  const SandboxRun moved = Run(policy, "mv sub moved");
  const SandboxRun run = Run(policy, "cat moved/private.txt");
  EXPECT_THAT(run.out, Not(HasSubstr("SECRET"))) << Text(moved);
  EXPECT_THAT(moved.err, HasSubstr("busy"));
  const SandboxRun deep = Run({.hidden = {folder().At("workspace/sub/private.txt")}},
                              "mv sub/private.txt x || cat sub/private.txt; touch sub/new");
  EXPECT_THAT(deep.out, Not(HasSubstr("SECRET")));
  EXPECT_TRUE(fs::exists(folder().At("workspace/sub/new"))) << Text(deep);
}

TEST_F(SwapTest, NothingIsExchanged) {
  MakeGitFolder("workspace/sub/.git");
  folder().Write("workspace/sub/odd \n\\name/private.txt", "SECRET\n");
  folder().MakeFolder("workspace/keys/deep");
  folder().Write("workspace/.envrc", "");
  const SandboxPolicy policy{.hidden = {folder().At("workspace/sub/odd \n\\name/private.txt"),
                                        folder().At("workspace/keys/deep"),
                                        folder().At("workspace/.envrc")}};
  const SandboxRun run = RunAfter(policy, "true", "ls keys/deep; cat sub/*/private.txt; echo ran");
  EXPECT_THAT(run.status, IsOk());
  EXPECT_EQ(run.out, "ran\n") << Text(run);
}

// The name of a hidden file, in a folder that stays.
TEST_F(SwapTest, NameOfAHiddenFile) {
  folder().Write("workspace/sub/private.txt", "SECRET\n");
  const SandboxRun run =
      RunAfter({.hidden = {folder().At("workspace/sub/private.txt")}},
               "mv sub/private.txt x && touch sub/private.txt", "cat x sub/private.txt");
  EXPECT_THAT(run.status, IsChange());
  EXPECT_THAT(run.out, Not(HasSubstr("SECRET")));
}

// bubblewrap follows the link, and hides what it leads to.
TEST_F(SwapTest, HiddenFolderBecomesALink) {
  folder().Write("workspace/keys/private.txt", "SECRET\n");
  const SandboxRun run = RunAfter({.hidden = {folder().At("workspace/keys")}},
                                  "mv keys x && mkdir y && ln -s y keys", "cat x/private.txt");
  EXPECT_THAT(run.status, IsChange());
  EXPECT_THAT(run.out, Not(HasSubstr("SECRET")));
}

TEST_F(SwapTest, GitFolder) {
  for (const char* git : {"foreign/.git", "workspace/sub/.git"}) MakeGitFolder(git);
  const SandboxRun run = RunAfter({.git_write = true}, "mv sub x && ln -s ../foreign sub",
                                  "touch ../foreign/.git/planted sub/.git/planted");
  EXPECT_THAT(run.status, IsChange());
  EXPECT_FALSE(fs::exists(folder().At("foreign/.git/planted"))) << Text(run);
}

TEST_F(SwapTest, WritableFolder) {
  folder().MakeFolder("workspace/out");
  const SandboxRun run =
      RunAfter({.workspace = WorkspaceAccess::kRead, .writable = {folder().At("workspace/out")}},
               "mv out x && ln -s ../outside out", "touch ../outside/planted out/planted");
  EXPECT_THAT(run.status, IsChange());
  EXPECT_FALSE(fs::exists(folder().At("outside/planted"))) << Text(run);
}

// A command has done it, and the next one is to have the same places.
TEST_F(SwapTest, WritableFolderIsALinkByNow) {
  folder().MakeFolder("workspace/out");
  const SandboxPolicy policy{.writable = {folder().At("workspace/out")}};
  EXPECT_EQ(Run(policy, "mv out x && ln -s ../outside out").exit_code, 0);
  const SandboxRun run = Run(policy, "touch ../outside/planted");
  EXPECT_THAT(run.status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("leads out")));
  EXPECT_FALSE(fs::exists(folder().At("outside/planted"))) << Text(run);
}

TEST_F(SwapTest, HiddenFile) {
  folder().Write("workspace/sub/private.txt", "SECRET\n");
  const SandboxRun run =
      RunAfter({.hidden = {folder().At("workspace/sub/private.txt")}},
               "mv sub x && mkdir sub && touch sub/private.txt", "cat x/private.txt");
  EXPECT_THAT(run.status, IsChange());
  EXPECT_THAT(run.out, Not(HasSubstr("SECRET")));
}

TEST_F(SwapTest, ProtectedFolder) {
  MakeGitFolder("workspace/sub/.git");
  const SandboxRun run = RunAfter({}, "mv sub x && mkdir sub && cp -r x/.git sub/.git",
                                  "touch x/.git/hooks/pre-commit sub/.git/hooks/pre-commit");
  EXPECT_THAT(run.status, IsChange());
  EXPECT_FALSE(fs::exists(folder().At("workspace/x/.git/hooks/pre-commit"))) << Text(run);
  EXPECT_FALSE(fs::exists(folder().At("workspace/sub/.git/hooks/pre-commit"))) << Text(run);
}

}  // namespace
}  // namespace cursorwire::test
