#include "sandbox/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "sandbox/inode.h"
#include "sandbox/name_walk.h"
#include "sandbox/secret_places.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::sandbox {
namespace {

using absl::StatusCode;
using test::StatusIs;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

class PlacesTest : public testing::Test {
 protected:
  PlacesTest() {
    folder_.MakeFolder("ws");
    folder_.MakeFolder("home");
    options_ = {
        .workspace = At("ws"), .private_folder = At("tmp"), .environment = {"HOME=" + At("home")}};
  }

  std::string At(const std::string& relative) const { return folder_.At(relative); }
  absl::StatusOr<Places> Find(const SandboxPolicy& policy = {}) const {
    return FindPlaces(options_, policy);
  }
  // What fails is a failure of the test.
  Places Found(const SandboxPolicy& policy = {}) const {
    absl::StatusOr<Places> places = Find(policy);
    EXPECT_TRUE(places.ok()) << places.status();
    return places.ok() ? *std::move(places) : Places{};
  }
  void MakeGit(const std::string& at, const std::string& config = "") {
    folder_.Write(at + "/HEAD", "ref: refs/heads/main\n");
    folder_.MakeFolder(at + "/objects");
    folder_.MakeFolder(at + "/refs");
    folder_.MakeFolder(at + "/hooks");
    folder_.Write(at + "/config", config);
  }
  // A repository "main" with a worktree in "ws".
  void MakeWorktree(const std::string& points_back_to) {
    MakeGit("main/.git");
    folder_.Write("main/.git/worktrees/ws/HEAD", "ref: refs/heads/x\n");
    folder_.Write("main/.git/worktrees/ws/commondir", "../..\n");
    folder_.Write("main/.git/worktrees/ws/gitdir", points_back_to + "\n");
    folder_.Write("ws/.git", "gitdir: " + At("main/.git/worktrees/ws") + "\n");
  }

  test::ScratchFolder folder_;
  PlacesOptions options_;
};

TEST_F(PlacesTest, ProtectsNamesAtAnyDepth) {
  folder_.Write("ws/.vscode/tasks.json", "");
  folder_.Write("ws/.mcp.json", "");
  folder_.Write("ws/a/b/c/d/e/.envrc", "");
  folder_.Write("ws/x/mise/config.toml", "");
  folder_.Write("ws/node_modules/x/.vscode/tasks.json", "");
  folder_.Write("ws/tools", "");
  options_.code_files = {At("ws/tools"), At("ws/none"), At("home/elsewhere")};
  const Places places = Found();
  EXPECT_THAT(places.protected_,
              ElementsAre(At("ws/.mcp.json"), At("ws/.vscode"), At("ws/a/b/c/d/e/.envrc"),
                          At("ws/tools"), At("ws/x/mise/config.toml")));
  EXPECT_THAT(places.absent, ElementsAre(At("ws/none")));
  EXPECT_THAT(places.git, IsEmpty());
}

TEST_F(PlacesTest, GitFoldersAndWhatRunsCodeInThem) {
  MakeGit("ws/.git", "[core]\n\thooksPath = scripts\n[include]\n\tpath = \"../settings\"\n");
  folder_.Write("ws/settings", "");
  folder_.MakeFolder("ws/scripts");
  MakeGit("ws/.git/modules/deep/name");
  folder_.Write("ws/.git/info/attributes", "");
  folder_.Write("ws/deep/name/.git", "gitdir: ../../.git/modules/deep/name\n");
  MakeGit("ws/bare");
  folder_.Write("ws/words/HEAD", "not a repository");
  const Places places = Found();
  EXPECT_THAT(places.git,
              ElementsAre(At("ws/.git"), At("ws/.git/modules/deep/name"), At("ws/bare")));
  EXPECT_THAT(places.protected_,
              UnorderedElementsAre(At("ws/.git/config"), At("ws/.git/hooks"),
                                   At("ws/.git/info/attributes"), At("ws/scripts"),
                                   At("ws/settings"), At("ws/.git/modules/deep/name/config"),
                                   At("ws/.git/modules/deep/name/hooks"), At("ws/deep/name/.git"),
                                   At("ws/bare/config"), At("ws/bare/hooks")));
}

TEST_F(PlacesTest, WorktreeOpensItsFolderAndTheCommonOne) {
  MakeWorktree(At("ws/.git"));
  const Places places = Found();
  EXPECT_THAT(places.git, ElementsAre(At("main/.git"), At("main/.git/worktrees/ws")));
  EXPECT_THAT(places.protected_,
              IsSupersetOf({At("ws/.git"), At("main/.git/hooks"), At("main/.git/config"),
                            At("main/.git/worktrees/ws/commondir")}));
}

TEST_F(PlacesTest, PlantedGitfileOpensNothing) {
  MakeWorktree(At("other/.git"));
  Places places = Found();
  EXPECT_THAT(places.git, IsEmpty());
  EXPECT_THAT(places.protected_, ElementsAre(At("ws/.git")));

  // A folder of the workspace's that says it is a worktree of a foreign repository.
  folder_.Write("ws/.git", "gitdir: evil");
  folder_.Write("ws/evil/HEAD", "ref: x");
  folder_.Write("ws/evil/commondir", At("main/.git"));
  folder_.Write("ws/evil/gitdir", At("ws/.git"));
  places = Found();
  EXPECT_THAT(places.git, ElementsAre(At("ws/evil")));

  folder_.Write("ws/.git", "gitdir: " + At("main/.git"));
  EXPECT_THAT(Found().git, Not(Contains(At("main/.git"))));
}

TEST_F(PlacesTest, SubmoduleOfAFolderAboveIsOpened) {
  MakeGit("outer/.git/modules/ws", "[core]\n\tworktree = ../../../../ws\n");
  folder_.Write("ws/.git", "gitdir: ../outer/.git/modules/ws");
  EXPECT_THAT(Found().git, ElementsAre(At("outer/.git/modules/ws")));
}

TEST_F(PlacesTest, SymlinkedGitIsProtectedOrRefused) {
  MakeGit("ws/real");
  folder_.MakeLink("ws/.git", "real");
  EXPECT_THAT(Find(), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("gitdir: PATH")));
  EXPECT_THAT(Find({.workspace = WorkspaceAccess::kRead}), test::IsOk());

  EXPECT_EQ(::unlink(At("ws/.git").c_str()), 0);
  MakeGit("ws/sub/real");
  folder_.MakeLink("ws/sub/.git", "real");
  EXPECT_THAT(Found().git, ElementsAre(At("ws/real"), At("ws/sub/real")));
}

TEST_F(PlacesTest, LinkOfAProtectedNameProtectsWhereItLeads) {
  folder_.MakeFolder("ws/shared");
  folder_.MakeLink("ws/.vscode", "shared");
  folder_.MakeLink("ws/.idea", "/etc");
  folder_.MakeLink("ws/.zed", "nowhere");
  EXPECT_THAT(Found().protected_, ElementsAre(At("ws/shared")));
  folder_.MakeLink("ws/.fleet", ".");
  EXPECT_THAT(Find(), StatusIs(StatusCode::kFailedPrecondition, HasSubstr(".fleet")));
}

TEST_F(PlacesTest, SecretsAreHidden) {
  folder_.Write("home/.ssh/id_ed25519", "");
  folder_.Write("home/.ssh/known_hosts", "");
  folder_.Write("home/.aws/credentials", "");
  folder_.Write("home/.netrc", "");
  folder_.Write("home/.config/cursorwire/credentials.json", "");
  folder_.Write("home/.config/cursor/auth.json", "");
  folder_.Write("home/.local/state/cursorwire/history", "");
  folder_.Write("home/.bash_history", "");
  folder_.Write("config/gh/hosts.yml", "");
  folder_.Write("real/docker.json", "");
  folder_.MakeLink("home/.docker/config.json", At("real/docker.json"));
  options_.environment.push_back("XDG_CONFIG_HOME=" + At("config"));
  options_.workspace = At("ws");
  // Below /tmp all but the workspace is gone anyway.
  const absl::StatusOr<SecretPlaces> secrets = FindSecrets(options_.environment, At("run"));
  ASSERT_TRUE(secrets.ok()) << secrets.status();
  EXPECT_THAT(secrets->folders,
              UnorderedElementsAre(At("home/.ssh"), At("home/.aws"), At("home/.config/cursorwire"),
                                   At("home/.local/state/cursorwire"), At("config/gh")));
  EXPECT_THAT(secrets->files,
              UnorderedElementsAre(At("home/.netrc"), At("home/.config/cursor/auth.json"),
                                   At("home/.bash_history"), At("real/docker.json")));
  EXPECT_THAT(secrets->readable, ElementsAre(At("home/.ssh/known_hosts")));
}

FileDescriptor Listen(const std::string& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT_LT(path.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof(address.sun_path) - 1));
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0)
      << path;
  return socket;
}

TEST_F(PlacesTest, SocketsAreHidden) {
  for (const char* name : {"run/x/y", "run/user/1000", "run/dbus", "s"}) folder_.MakeFolder(name);
  folder_.Write("run/resolvconf/resolv.conf", "");
  folder_.MakeFolder("run/media/disk");
  std::vector<FileDescriptor> sockets;
  for (const char* name : {"run/docker.sock", "run/x/y/z", "run/media/disk/s", "s/agent",
                           "s/docker", "s/bus", "s/gpg"}) {
    sockets.push_back(Listen(At(name)));
  }
  options_.environment = {"HOME=" + At("home"),
                          "SSH_AUTH_SOCK=" + At("s/agent"),
                          "DOCKER_HOST=unix://" + At("s/docker"),
                          "DBUS_SESSION_BUS_ADDRESS=unix:path=" + At("s/bus") + ",guid=1",
                          "GPG_AGENT_INFO=" + At("s/gpg") + ":0:1",
                          "CONTAINER_HOST=ssh://host" + At("s/none"),
                          "XDG_RUNTIME_DIR=" + At("run/user/1000")};
  const absl::StatusOr<SecretPlaces> secrets = FindSecrets(options_.environment, At("run"));
  ASSERT_TRUE(secrets.ok()) << secrets.status();
  EXPECT_THAT(secrets->files,
              UnorderedElementsAre(At("run/docker.sock"), At("run/x/y/z"), At("s/agent"),
                                   At("s/docker"), At("s/bus"), At("s/gpg")));
  EXPECT_THAT(secrets->folders,
              UnorderedElementsAre(At("run/user"), At("run/user/1000"), At("run/dbus")));
}

TEST_F(PlacesTest, HomeAsWorkspace) {
  options_.workspace = At("home");
  folder_.Write("home/.bashrc", "");
  folder_.Write("home/.ssh/known_hosts", "");
  folder_.Write("home/.config/autostart/x", "");
  folder_.MakeFolder("home/programs");
  options_.environment.push_back("PATH=/usr/bin:" + At("home/programs"));
  const Places places = Found();
  EXPECT_THAT(places.protected_, IsSupersetOf({At("home/.bashrc"), At("home/.config/autostart"),
                                               At("home/.ssh"), At("home/programs")}));
  EXPECT_THAT(places.absent, IsSupersetOf({At("home/.profile"), At("home/.local/bin")}));
  EXPECT_THAT(places.hidden_folders, Contains(At("home/.ssh")));
  EXPECT_THAT(places.readable, ElementsAre(At("home/.ssh/known_hosts")));
}

TEST_F(PlacesTest, WritablePathsThatOpenTooMuchAreRefused) {
  folder_.Write("home/.ssh/id", "");
  folder_.MakeFolder("home/.config/cursorwire");
  options_.workspace = At("home/project");
  folder_.MakeFolder("home/project");
  for (const std::string& path :
       {std::string("relative"), std::string("/"), folder_.path(), At("home"), At("home/."),
        std::string("/proc/sys"), std::string("/dev")}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(Find({.writable = {path}}), StatusIs(StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(Find({.workspace = WorkspaceAccess::kRead, .writable = {At("home/project")}}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Find({.writable = {At("none"), "/tmp"}}), test::IsOk());
  EXPECT_THAT(Found({.writable = {At("none"), "/tmp"}}).writable, IsEmpty());
}

TEST_F(PlacesTest, WritableFolderWithASecretIsRefused) {
  folder_.MakeFolder("data/secret");
  const SandboxPolicy policy{.writable = {At("data")}, .hidden = {At("data/secret")}};
  EXPECT_THAT(Find(policy), StatusIs(StatusCode::kInvalidArgument, HasSubstr("hidden")));
}

TEST_F(PlacesTest, ProtectedNamesOfWritableFolders) {
  folder_.Write("data/.vscode/tasks.json", "");
  MakeGit("data/x/.git");
  folder_.MakeLink("link", At("data"));
  const Places places = Found({.workspace = WorkspaceAccess::kRead, .writable = {At("link")}});
  EXPECT_THAT(places.writable, ElementsAre(At("data")));
  EXPECT_THAT(places.protected_, Contains(At("data/.vscode")));
  EXPECT_THAT(places.git, ElementsAre(At("data/x/.git")));
  folder_.MakeFolder("ws/.vscode");
  EXPECT_THAT(
      Found({.workspace = WorkspaceAccess::kRead, .writable = {At("ws/.vscode")}}).protected_,
      ElementsAre(At("ws/.vscode")));
}

TEST_F(PlacesTest, HiddenOfThePolicy) {
  folder_.Write("ws/secret.txt", "");
  folder_.Write("ws/secrets/.vscode/a", "");
  folder_.Write("ws/secrets/b", "");
  const Places places =
      Found({.hidden = {At("ws/secret.txt"), At("ws/secrets/b"), At("ws/secrets"), At("ws/none")}});
  EXPECT_THAT(places.hidden_files, Contains(At("ws/secret.txt")));
  EXPECT_THAT(places.hidden_files, Not(Contains(At("ws/secrets/b"))));
  EXPECT_THAT(places.hidden_folders, Contains(At("ws/secrets")));
  EXPECT_THAT(places.protected_, IsEmpty());
  EXPECT_THAT(Find({.hidden = {"secret"}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Find({.hidden = {At("ws")}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Find({.hidden = {At("")}}), StatusIs(StatusCode::kInvalidArgument));
  const std::vector<std::string> many(1001, At("ws/secret.txt"));
  EXPECT_THAT(Find({.hidden = many}),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("hide folders")));
}

TEST_F(PlacesTest, ReadableIsOnlyWhatCannotBeSeenOtherwise) {
  folder_.Write("ws/out.log", "");
  folder_.Write("ws/hidden/out.log", "");
  options_.readable = {At("ws/out.log"), At("ws/hidden/out.log"), "/etc/passwd", At("none")};
  EXPECT_THAT(Found({.hidden = {At("ws/hidden")}}).readable, ElementsAre(At("ws/hidden/out.log")));
}

TEST_F(PlacesTest, TooManyToProtectAreRefused) {
  for (int i = 0; i <= 1'000; ++i) folder_.Write("ws/" + std::to_string(i) + "/.envrc", "");
  EXPECT_THAT(Find(), StatusIs(StatusCode::kResourceExhausted, HasSubstr("smaller folder")));
  EXPECT_THAT(Find({.workspace = WorkspaceAccess::kRead}), test::IsOk());
}

TEST_F(PlacesTest, WorkspaceMustBeAFolderBelowTheRoot) {
  options_.workspace = "/";
  EXPECT_THAT(Find(), StatusIs(StatusCode::kInvalidArgument));
  options_.workspace = At("none");
  EXPECT_THAT(Find(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST_F(PlacesTest, WalkIsBounded) {
  folder_.Write("ws/a/b/c/.envrc", "");
  const auto nothing = [](const SeenName&) {};
  EXPECT_EQ(WalkNames(At("ws"), {.max_entries = 4}, nothing), WalkStop::kNothing);
  EXPECT_EQ(WalkNames(At("ws"), {.max_entries = 3}, nothing), WalkStop::kTooMany);
  EXPECT_EQ(WalkNames(At("ws"), {.max_depth = 2}, nothing), WalkStop::kTooDeep);
}

TEST_F(PlacesTest, NotesWhatItFound) {
  folder_.Write("ws/a/b/key", "");
  folder_.Write("ws/c/.envrc", "");
  const Places places = Found({.hidden = {At("ws/a/b/key"), At("ws/absent")}});
  for (const char* name : {"ws", "ws/a", "ws/a/b", "ws/a/b/key", "ws/c/.envrc"}) {
    struct stat info {};
    ASSERT_EQ(::stat(At(name).c_str(), &info), 0);
    EXPECT_THAT(places.inodes, Contains(testing::Pair(At(name), InodeOf(info))));
  }
  EXPECT_FALSE(places.inodes.contains(At("ws/absent")));
}

}  // namespace
}  // namespace cursorwire::sandbox
