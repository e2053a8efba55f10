#include "sandbox/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire::sandbox {
namespace {

using absl::StatusCode;
using test::IsOk;
using test::StatusIs;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

// Nothing of this exists.
Places TestPlaces() {
  return {.workspace = "/p/ws",
          .private_folder = "/p/private",
          .writable = {"/p/data"},
          .git = {"/p/ws/.git"},
          .protected_ = {"/p/data/.envrc", "/p/ws/.git/config", "/p/ws/.git/hooks", "/p/ws/.vscode",
                         "/p/ws/.vscode/x", "/q/outside"},
          .hidden_files = {"/p/home/.netrc", "/p/ws/secret.txt"},
          .hidden_folders = {"/p/home/.ssh", "/p/ws/secrets"},
          .readable = {"/p/home/.ssh/known_hosts", "/tmp/cursorwire/out.log"}};
}

constexpr Backend kFull = Backend::kFull;

Plan FullPlan(const SandboxPolicy& policy, const Places& places = TestPlaces()) {
  absl::StatusOr<Plan> plan = MakePlan(policy, places, {.backend = kFull}, false);
  EXPECT_THAT(plan, IsOk());
  return plan.ok() ? *plan : Plan{};
}

// The place of these words, one after the other; the size if they are not there.
size_t PlaceOf(const std::vector<std::string>& arguments,
               std::initializer_list<const char*> words) {
  const auto found = std::search(arguments.begin(), arguments.end(), words.begin(), words.end());
  return static_cast<size_t>(found - arguments.begin());
}
bool Has(const std::vector<std::string>& arguments, std::initializer_list<const char*> words) {
  return PlaceOf(arguments, words) < arguments.size();
}

TEST(Plan, PlanIsPure) {
  const std::vector<std::string> expected = {
      "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net",
      "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--disable-userns",
      // The system
      "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",  //
      "--ro-bind", "/proc/sys", "/proc/sys",                      //
      "--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger", "--ro-bind-try", "/proc/irq",
      "/proc/irq",  //
      "--ro-bind-try", "/proc/bus", "/proc/bus",
      // Hidden everywhere, and /tmp
      "--perms", "0555", "--tmpfs", "/p/home/.ssh",  //
      "--ro-bind", "/p/home/.ssh/known_hosts", "/p/home/.ssh/known_hosts", "--remount-ro",
      "/p/home/.ssh",                                                     //
      "--ro-bind", "/dev/null", "/p/home/.netrc",                         //
      "--bind", "/p/private", "/tmp",                                     //
      "--ro-bind", "/tmp/cursorwire/out.log", "/tmp/cursorwire/out.log",  //
      // What may be changed
      "--bind", "/p/ws", "/p/ws",      //
      "--bind", "/p/data", "/p/data",  //
      // Protected and hidden within
      "--ro-bind", "/p/ws/.git", "/p/ws/.git",          //
      "--ro-bind", "/p/data/.envrc", "/p/data/.envrc",  //
      "--ro-bind", "/p/ws/.vscode", "/p/ws/.vscode",    //
      "--perms", "0555", "--tmpfs", "/p/ws/secrets", "--remount-ro", "/p/ws/secrets", "--ro-bind",
      "/dev/null", "/p/ws/secret.txt"};
  const absl::StatusOr<Plan> plan =
      MakePlan({}, TestPlaces(), {.backend = kFull, .disables_userns = true}, false);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->backend, kFull);
  EXPECT_THAT(plan->bwrap_arguments, ElementsAreArray(expected));
  EXPECT_THAT(plan->grants, IsEmpty());
  EXPECT_THAT(
      plan->environment,
      ElementsAre("TMPDIR=/tmp", "XDG_CACHE_HOME=/tmp/cache", "npm_config_cache=/tmp/cache/npm",
                  "PIP_CACHE_DIR=/tmp/cache/pip", "GOCACHE=/tmp/cache/go-build",
                  "CCACHE_DIR=/tmp/cache/ccache", "GIT_OPTIONAL_LOCKS=0"));
  EXPECT_THAT(plan->removed_variables,
              IsSupersetOf({"SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS",
                            "GPG_AGENT_INFO", "XDG_RUNTIME_DIR", "https_proxy", "HTTPS_PROXY"}));
}

TEST(Plan, NetworkKeepsTheNamespaceAndTheProxies) {
  const Plan plan = FullPlan({.network = true});
  EXPECT_THAT(plan.bwrap_arguments, Not(Contains("--unshare-net")));
  EXPECT_THAT(plan.removed_variables,
              AllOf(Contains("SSH_AUTH_SOCK"), Not(Contains("https_proxy"))));
  EXPECT_THAT(plan.bwrap_arguments, Not(Contains("--disable-userns")));
}

TEST(Plan, GitWriteOpensTheFolderButNotWhatRunsCode) {
  Places places = TestPlaces();
  places.git.push_back("/q/main/.git");
  places.protected_.push_back("/q/main/.git/hooks");
  const Plan plan = FullPlan({.git_write = true}, places);
  const auto& arguments = plan.bwrap_arguments;
  const size_t workspace = PlaceOf(arguments, {"--bind", "/p/ws", "/p/ws"});
  const size_t git = PlaceOf(arguments, {"--bind", "/p/ws/.git", "/p/ws/.git"});
  const size_t hooks = PlaceOf(arguments, {"--ro-bind", "/p/ws/.git/hooks"});
  EXPECT_LT(workspace, git);
  EXPECT_LT(git, hooks);
  EXPECT_LT(hooks, arguments.size());
  EXPECT_TRUE(Has(arguments, {"--bind", "/q/main/.git", "/q/main/.git"}));
  EXPECT_TRUE(Has(arguments, {"--ro-bind", "/q/main/.git/hooks", "/q/main/.git/hooks"}));
  EXPECT_THAT(plan.environment, Not(Contains("GIT_OPTIONAL_LOCKS=0")));
}

TEST(Plan, ReadOnlyWorkspace) {
  Places places = TestPlaces();
  places.writable.push_back("/p/ws/build");
  const auto arguments =
      FullPlan({.workspace = WorkspaceAccess::kRead, .tmp_write = false}, places).bwrap_arguments;
  EXPECT_TRUE(Has(arguments, {"--ro-bind", "/p/ws", "/p/ws", "--bind", "/p/data"}));
  EXPECT_TRUE(Has(arguments, {"--bind", "/p/ws/build", "/p/ws/build"}));
  EXPECT_FALSE(Has(arguments, {"--ro-bind", "/p/ws/.vscode"}));  // it is already
  EXPECT_TRUE(Has(arguments, {"--ro-bind", "/p/data/.envrc"}));
  // Last, since folders of what lies below /tmp are made in it.
  EXPECT_EQ(PlaceOf(arguments, {"--remount-ro", "/tmp"}), arguments.size() - 2);
  EXPECT_THAT(FullPlan({.tmp_write = false}).environment,
              ElementsAre("TMPDIR=/tmp", "GIT_OPTIONAL_LOCKS=0"));
}

TEST(Plan, WorkspaceInAHiddenFolderIsMountedBeforeThatIsClosed) {
  const Places places{.workspace = "/run/user/1/ws",
                      .private_folder = "/p/private",
                      .hidden_folders = {"/run/user"}};
  const auto arguments = FullPlan({}, places).bwrap_arguments;
  const size_t hidden = PlaceOf(arguments, {"--tmpfs", "/run/user"});
  const size_t workspace = PlaceOf(arguments, {"--bind", "/run/user/1/ws"});
  const size_t closed = PlaceOf(arguments, {"--remount-ro", "/run/user"});
  EXPECT_LT(hidden, workspace);
  EXPECT_LT(workspace, closed);
  EXPECT_LT(closed, arguments.size());
}

// Else one could be renamed, and the next command would hide nothing.
TEST(Plan, FoldersOfWhatIsHiddenAreMounted) {
  Places places{.workspace = "/p/ws",
                .private_folder = "/p/private",
                .git = {"/p/ws/.git"},
                .protected_ = {"/p/ws/a/.vscode"},
                .hidden_files = {"/p/ws/.git/x/key", "/p/ws/a/.vscode/b/key", "/p/ws/a/b/key",
                                 "/p/ws/a/b/key2", "/q/c/key"},
                .hidden_folders = {"/p/ws/a/c/keys"}};
  const auto arguments = FullPlan({.git_write = true}, places).bwrap_arguments;
  const size_t workspace = PlaceOf(arguments, {"--bind", "/p/ws", "/p/ws"});
  const size_t folders =
      PlaceOf(arguments, {"--bind", "/p/ws/a", "/p/ws/a", "--bind", "/p/ws/a/b", "/p/ws/a/b",
                          "--bind", "/p/ws/a/c", "/p/ws/a/c", "--bind", "/p/ws/.git", "/p/ws/.git",
                          "--bind", "/p/ws/.git/x", "/p/ws/.git/x", "--ro-bind"});
  EXPECT_LT(workspace, folders);
  EXPECT_LT(folders, PlaceOf(arguments, {"--tmpfs", "/p/ws/a/c/keys"}));
  EXPECT_LT(folders, arguments.size());
  // It is read-only anyway, or another's.
  EXPECT_FALSE(Has(arguments, {"--bind", "/p/ws/a/.vscode"}));
  EXPECT_FALSE(Has(arguments, {"--bind", "/p/ws/a/.vscode/b"}));
  EXPECT_FALSE(Has(arguments, {"--bind", "/q/c"}));
  EXPECT_FALSE(Has(FullPlan({}, places).bwrap_arguments, {"--bind", "/p/ws/.git/x"}));
  places.writable = {"/p/ws/a/b"};
  const auto read_only = FullPlan({.workspace = WorkspaceAccess::kRead}, places).bwrap_arguments;
  EXPECT_FALSE(Has(read_only, {"--bind", "/p/ws/a", "/p/ws/a"}));
}

TEST(Plan, ExpectsWhatAnotherCommandCouldMislead) {
  Places places = TestPlaces();
  places.hidden_files.emplace_back("/p/ws/sub/key");
  places.inodes = {{"/p/private", {1, 2}}, {"/p/ws/sub", {1, 3}}, {"/p/ws/sub/key", {1, 4}}};
  const ExpectedMounts mounts = FullPlan({}, places).mounts;
  EXPECT_EQ(mounts.private_folder, "/p/private");
  EXPECT_EQ(mounts.private_inode, Inode(1, 2));
  using enum ExpectedMount::Kind;
  const auto is = [](const char* path, ExpectedMount::Kind kind, ino_t number, bool is_held) {
    return AllOf(Field(&ExpectedMount::path, path), Field(&ExpectedMount::kind, kind),
                 Field(&ExpectedMount::inode, number == 0 ? Inode() : Inode(1, number)),
                 Field(&ExpectedMount::folder_is_mount, is_held));
  };
  EXPECT_THAT(
      mounts.within,
      ElementsAre(is("/p/data", kBind, 0, false), is("/p/data/.envrc", kBind, 0, false),
                  is("/p/ws", kBind, 0, false), is("/p/ws/.git", kBind, 0, false),
                  is("/p/ws/.vscode", kBind, 0, false), is("/p/ws/secret.txt", kEmptyFile, 0, true),
                  is("/p/ws/secrets", kEmptyFolder, 0, true), is("/p/ws/sub", kBind, 3, false),
                  is("/p/ws/sub/key", kEmptyFile, 4, true)));
}

TEST(Plan, NoGhostFilesAfterwards) {
  // What is mounted is in the places, so that it was there when they were looked up.
  Places places = TestPlaces();
  places.absent = {"/p/ws/absent"};
  for (const std::string& argument : FullPlan({}, places).bwrap_arguments) {
    EXPECT_THAT(argument, Not(HasSubstr("absent")));
  }
}

TEST(Plan, NothingWithoutABackend) {
  EXPECT_THAT(MakePlan({}, TestPlaces(), {.why_not = "no bwrap: install it"}, true),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("no bwrap: install it")));
}

TEST(Plan, PartialRefusesWhatItCannotHold) {
  const Support support{.backend = Backend::kPartial, .landlock_abi = 2};
  EXPECT_THAT(MakePlan({}, TestPlaces(), support, false),
              StatusIs(StatusCode::kUnimplemented,
                       AllOf(HasSubstr("hide credentials"), HasSubstr("keep .git"))));
  const Places bare{.workspace = "/p/ws", .private_folder = "/p/private", .git = {"/p/ws/.git"}};
  EXPECT_THAT(MakePlan({}, bare, support, false), StatusIs(StatusCode::kUnimplemented));
  EXPECT_THAT(MakePlan({.git_write = true}, bare, support, false), IsOk());
  EXPECT_THAT(MakePlan({.workspace = WorkspaceAccess::kRead}, bare, support, false), IsOk());
}

TEST(Plan, PartialGrants) {
  const absl::StatusOr<Plan> plan =
      MakePlan({}, TestPlaces(), {.backend = Backend::kPartial, .landlock_abi = 2}, true);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->bwrap_arguments, IsEmpty());
  std::vector<std::string> read;
  std::vector<std::string> write;
  for (const LandlockGrant& grant : plan->grants) {
    if (!grant.path.starts_with("/dev/")) (grant.write ? write : read).push_back(grant.path);
  }
  EXPECT_THAT(read, ElementsAre("/"));
  EXPECT_THAT(write, ElementsAre("/p/data", "/p/ws", "/p/private"));
  EXPECT_THAT(plan->environment, Contains("TMPDIR=/p/private"));
  EXPECT_THAT(plan->environment, Contains(StartsWith("XDG_CACHE_HOME=/p/private/")));
}

}  // namespace
}  // namespace cursorwire::sandbox
