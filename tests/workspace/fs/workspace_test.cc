#include "workspace/fs/workspace.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <filesystem>
#include <string>
#include <thread>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "support/without_root_rights.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::IsOkAndHolds;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using enum absl::StatusCode;

std::string Contents(const OpenFile& file) {
  std::array<char, 256> buffer{};
  const absl::StatusOr<size_t> count = file.Read(buffer.data(), buffer.size());
  return count.ok() ? std::string(buffer.data(), *count) : count.status().ToString();
}

// What is read at a place, or the code of the error.
std::string ReadAt(const Workspace& workspace, const std::string& path) {
  const absl::StatusOr<std::string> place = workspace.Locate(path);
  if (!place.ok()) return absl::StatusCodeToString(place.status().code());
  const absl::StatusOr<OpenFile> file = workspace.OpenRegularFile(*place);
  return file.ok() ? Contents(*file) : absl::StatusCodeToString(file.status().code());
}

class WorkspaceTest : public testing::TestWithParam<Resolver> {
 protected:
  WorkspaceTest() {
    outside_.Write("secret", "secret");
    scratch_.Write("a.txt", "a");
    scratch_.Write("sub/b.txt", "b");
    scratch_.Write("sub/deep/c.txt", "c");
  }

  Workspace Open() const {
    absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path(), GetParam());
    EXPECT_THAT(workspace, IsOk());
    return *std::move(workspace);
  }

  ScratchFolder outside_;
  ScratchFolder scratch_;
};

INSTANTIATE_TEST_SUITE_P(Resolvers, WorkspaceTest,
                         testing::Values(Resolver::kKernel, Resolver::kWalk), [](const auto& test) {
                           return test.param == Resolver::kKernel ? "Kernel" : "Walk";
                         });

TEST_P(WorkspaceTest, ReadsWhatIsBelow) {
  scratch_.Write("with space.txt", "space");
  scratch_.Write("new\nline", "newline");
  scratch_.Write("not utf-8 \xFF", "bytes");
  scratch_.Write("..dots", "dots");
  scratch_.Write("%41", "percent");
  scratch_.MakeLink("link", "a.txt");
  scratch_.MakeLink("sub/up", "../a.txt");
  scratch_.MakeLink("to_sub", "sub/./deep/..//");
  scratch_.MakeLink("chain", "to_sub/up");
  const std::string root = scratch_.path();
  const struct {
    const char* name;
    std::string path;
    const char* content;
  } kCases[] = {
      {"relative", "a.txt", "a"},
      {"in a folder", "sub/deep/c.txt", "c"},
      {"dot", "./a.txt", "a"},
      {"double slashes", "sub//deep///c.txt", "c"},
      {"up and down again", "sub/../a.txt", "a"},
      {"up from what does not exist", "none/../a.txt", "a"},
      {"out and in again", "../" + root.substr(root.rfind('/') + 1) + "/a.txt", "a"},
      {"absolute", root + "/sub/b.txt", "b"},
      {"absolute and untidy", "/." + root + "/sub/..//a.txt", "a"},
      {"absolute, above the root", "/../.." + root + "/a.txt", "a"},
      {"URI", "file://" + root + "/a.txt", "a"},
      {"URI with a host", "file://localhost" + root + "/a.txt", "a"},
      {"URI with escapes", "file://" + root + "/with%20space%2Etxt", "space"},
      {"escapes are for URIs alone", "%41", "percent"},
      {"space", "with space.txt", "space"},
      {"newline", "new\nline", "newline"},
      {"no UTF-8", "not utf-8 \xFF", "bytes"},
      {"name that begins with dots", "..dots", "dots"},
      {"link", "link", "a"},
      {"link upwards", "sub/up", "a"},
      {"link to a folder", "to_sub/b.txt", "b"},
      {"link through a link", "chain", "a"},
  };
  const Workspace workspace = Open();
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ReadAt(workspace, c.path), c.content);
  }
}

TEST_P(WorkspaceTest, FollowsNoLinksIfAsked) {
  scratch_.MakeLink("to_sub", "sub");
  scratch_.MakeLink("to_a", "a.txt");
  const Workspace strict = Open().WithoutLinks();
  EXPECT_EQ(ReadAt(strict, "sub/deep/c.txt"), "c");
  for (const char* place : {"to_a", "to_sub/b.txt"}) {
    EXPECT_THAT(strict.OpenRegularFile(place), StatusIs(kPermissionDenied)) << place;
  }
  EXPECT_THAT(strict.OpenFolder("to_sub"), StatusIs(kPermissionDenied));
}

TEST_P(WorkspaceTest, RefusesWhatLeadsOut) {
  const std::string sibling = scratch_.path() + "-sibling";
  const std::string outside = outside_.path();
  const std::string outside_name = outside.substr(outside.rfind('/') + 1);
  scratch_.MakeLink("absolute", outside + "/secret");
  scratch_.MakeLink("relative", "../" + outside_name + "/secret");
  scratch_.MakeLink("sub/relative", "../../" + outside_name + "/secret");
  scratch_.MakeLink("folder", outside);
  scratch_.MakeLink("parent", "..");
  scratch_.MakeLink("sub/grandparent", "../..");
  scratch_.MakeLink("chain", "sub/relative");
  scratch_.MakeLink("root", "/");
  scratch_.MakeLink("back", scratch_.path() + "/a.txt");
  scratch_.MakeLink("proc", "/proc/self/root");
  scratch_.MakeLink("loop", "loop");
  scratch_.MakeLink("ping", "pong");
  scratch_.MakeLink("pong", "ping");
  const struct {
    const char* name;
    std::string path;
  } kCases[] = {
      {"parent", "../" + outside_name + "/secret"},
      {"parent later", "sub/../../" + outside_name + "/secret"},
      {"absolute", outside + "/secret"},
      {"folder whose name begins the same", sibling},
      {"URI", "file://" + outside + "/secret"},
      {"escaped dots", "file://" + scratch_.path() + "/%2e%2e/" + outside_name + "/secret"},
      {"escaped slash", "file://" + scratch_.path() + "/..%2F" + outside_name + "/secret"},
      {"absolute link", "absolute"},
      {"relative link", "relative"},
      {"relative link in a folder", "sub/relative"},
      {"link on the way", "folder/secret"},
      {"link to the parent", "parent/" + outside_name + "/secret"},
      {"link to the parent of the parent", "sub/grandparent/" + outside_name + "/secret"},
      {"link to such a link", "chain"},
      {"link to the root", "root/etc/passwd"},
      {"absolute link back", "back"},
      {"link into procfs", "proc/etc/passwd"},
      {"link to itself", "loop"},
      {"two links in a circle", "ping"},
  };
  const Workspace workspace = Open();
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ReadAt(workspace, c.path), "PERMISSION_DENIED");
  }
}

TEST_P(WorkspaceTest, SaysWhyALinkIsNotFollowed) {
  scratch_.MakeLink("back", scratch_.path() + "/a.txt");
  const Workspace workspace = Open();
  const auto is_said = StatusIs(kPermissionDenied, HasSubstr("has an absolute target"));
  EXPECT_THAT(workspace.OpenRegularFile("back"), is_said);
  EXPECT_THAT(workspace.Locate("../a"),
              StatusIs(kPermissionDenied, HasSubstr("the path leads out of the folder")));
}

TEST_P(WorkspaceTest, RefusesLinksOfProcfs) {
  const absl::StatusOr<Workspace> workspace = Workspace::Open("/proc/self", GetParam());
  ASSERT_THAT(workspace, IsOk());
  EXPECT_EQ(ReadAt(*workspace, "root/etc/passwd"), "PERMISSION_DENIED");
  EXPECT_EQ(ReadAt(*workspace, "cwd/."), "PERMISSION_DENIED");
  EXPECT_EQ(ReadAt(*workspace, "exe"), "PERMISSION_DENIED");
}

TEST_P(WorkspaceTest, FollowsAsManyLinksAsTheKernel) {
  scratch_.MakeLink("link40", "a.txt");
  for (int i = 39; i >= 0; --i) {
    scratch_.MakeLink("link" + std::to_string(i), "link" + std::to_string(i + 1));
  }
  const Workspace workspace = Open();
  EXPECT_EQ(ReadAt(workspace, "link1"), "a");
  EXPECT_EQ(ReadAt(workspace, "link0"), "PERMISSION_DENIED");
}

TEST_P(WorkspaceTest, TellsWhatIsWrongWithAPath) {
  scratch_.MakeLink("dangling", "none");
  const struct {
    const char* name;
    std::string path;
    const char* code;
  } kCases[] = {
      {"no such file", "none", "NOT_FOUND"},
      {"no such folder", "none/a.txt", "NOT_FOUND"},
      {"below a file", "a.txt/b", "NOT_FOUND"},
      {"dangling link", "dangling", "NOT_FOUND"},
      {"zero byte", std::string("a.txt\0.png", 10), "INVALID_ARGUMENT"},
      {"zero byte of a URI", "file://" + scratch_.path() + "/a.txt%00", "INVALID_ARGUMENT"},
      {"URI of another host", "file://elsewhere/a.txt", "INVALID_ARGUMENT"},
      {"URI with half an escape", "file://" + scratch_.path() + "/%4", "INVALID_ARGUMENT"},
      {"URI with a bad escape", "file://" + scratch_.path() + "/%zz", "INVALID_ARGUMENT"},
      {"long name", std::string(NAME_MAX + 1, 'a'), "INVALID_ARGUMENT"},
      {"long path", std::string(PATH_MAX, '/'), "INVALID_ARGUMENT"},
      {"the folder", "", "INVALID_ARGUMENT"},
      {"a folder", "sub/", "INVALID_ARGUMENT"},
  };
  const Workspace workspace = Open();
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ReadAt(workspace, c.path), c.code);
  }
}

TEST_P(WorkspaceTest, NeverOpensWhatIsNoRegularFile) {
  scratch_.MakePipe("pipe");
  scratch_.MakeLink("link", "pipe");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const OpenFile socket(fd);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = scratch_.At("socket");
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);

  const Workspace workspace = Open();
  for (const auto& [place, kind] :
       {std::pair("pipe", "a pipe"), std::pair("link", "a pipe"), std::pair("socket", "a socket"),
        std::pair("sub", "a folder")}) {
    SCOPED_TRACE(place);
    EXPECT_THAT(workspace.OpenRegularFile(place), StatusIs(kInvalidArgument, HasSubstr(kind)));
  }
  EXPECT_THAT(workspace.OpenFolder("pipe"), StatusIs(kInvalidArgument, HasSubstr("a pipe")));
  EXPECT_THAT(workspace.OpenFolder("a.txt"), StatusIs(kInvalidArgument, HasSubstr("a file")));
}

TEST_P(WorkspaceTest, NeverOpensADevice) {
  const absl::StatusOr<Workspace> devices = Workspace::Open("/dev", GetParam());
  ASSERT_THAT(devices, IsOk());
  EXPECT_THAT(devices->OpenRegularFile("zero"), StatusIs(kInvalidArgument, HasSubstr("a device")));
}

TEST_P(WorkspaceTest, MayRefuseALinkAsLastPartAlone) {
  scratch_.MakeLink("link", "a.txt");
  scratch_.MakeLink("to_sub", "sub");
  const Workspace workspace = Open();
  EXPECT_THAT(workspace.OpenRegularFile("link", LastLink::kRefuse), StatusIs(kInvalidArgument));
  EXPECT_THAT(workspace.OpenFolder("to_sub", LastLink::kRefuse), StatusIs(kInvalidArgument));
  EXPECT_THAT(workspace.OpenRegularFile("to_sub/b.txt", LastLink::kRefuse), IsOk());
}

TEST_P(WorkspaceTest, SaysWhenTheUserMayNot) {
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(scratch_.At("a.txt"), std::filesystem::perms::none);
  const test::WithoutRootRights rights;
  EXPECT_EQ(ReadAt(Open(), "a.txt"), "PERMISSION_DENIED");
}

// The walk holds each folder that it passes.
TEST_P(WorkspaceTest, WalksSoDeepOnly) {
  std::string folder;
  for (int i = 0; i < 256; ++i) folder += "d/";
  scratch_.Write(folder + "file", "deep");
  scratch_.Write(folder + "d/file", "deeper");
  EXPECT_EQ(ReadAt(Open(), folder + "file"), "deep");
  EXPECT_EQ(ReadAt(Open(), folder + "d/file"),
            GetParam() == Resolver::kKernel ? "deeper" : "INVALID_ARGUMENT");
}

TEST_P(WorkspaceTest, GoesOnToMeanTheSameFolder) {
  const Workspace workspace = Open();
  const std::string moved = scratch_.path() + "-moved";
  std::filesystem::rename(scratch_.path(), moved);
  std::filesystem::create_symlink(outside_.path(), scratch_.path());
  EXPECT_EQ(ReadAt(workspace, "a.txt"), "a");
  EXPECT_EQ(ReadAt(workspace, "secret"), "NOT_FOUND");
  std::filesystem::remove(scratch_.path());
  std::filesystem::rename(moved, scratch_.path());
}

// A part of the path is a folder at one moment and a link out of the workspace at the next.
TEST_P(WorkspaceTest, CannotBeLedOutByASwap) {
  scratch_.Write("swap/secret", "harmless");
  scratch_.MakeLink("link", outside_.path());
  const Workspace workspace = Open();
  std::atomic<bool> done = false;
  std::thread swapper([&] {
    const std::string folder = scratch_.At("swap");
    const std::string link = scratch_.At("link");
    while (!done) ::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
  });
  for (int i = 0; i < 5000; ++i) {
    EXPECT_THAT(ReadAt(workspace, "swap/secret"),
                AnyOf("harmless", "PERMISSION_DENIED", "UNKNOWN"));
  }
  done = true;
  swapper.join();
}

TEST_P(WorkspaceTest, KnowsTheFolderByTheNameItWasGiven) {
  outside_.MakeLink("alias", scratch_.path());
  const std::string alias = outside_.At("alias");
  const absl::StatusOr<Workspace> workspace = Workspace::Open(alias + "/", GetParam());
  ASSERT_THAT(workspace, IsOk());
  EXPECT_EQ(workspace->folder(), scratch_.path());
  EXPECT_EQ(ReadAt(*workspace, alias + "/sub/b.txt"), "b");
  EXPECT_EQ(ReadAt(*workspace, scratch_.path() + "/a.txt"), "a");
  EXPECT_EQ(ReadAt(*workspace, outside_.path() + "/secret"), "PERMISSION_DENIED");
  EXPECT_EQ(workspace->AbsolutePath("sub/b.txt"), scratch_.path() + "/sub/b.txt");
  EXPECT_EQ(workspace->AbsolutePath(""), scratch_.path());
}

TEST(Workspace, ServesTheRoot) {
  const absl::StatusOr<Workspace> workspace = Workspace::Open("/");
  ASSERT_THAT(workspace, IsOk());
  EXPECT_THAT(workspace->Locate("/proc/../etc//passwd"), IsOkAndHolds("etc/passwd"));
  EXPECT_THAT(workspace->Locate("/"), IsOkAndHolds(""));
  EXPECT_EQ(workspace->AbsolutePath("etc"), "/etc");
  EXPECT_EQ(workspace->AbsolutePath(""), "/");
}

TEST(Workspace, RefusesWhatIsNoFolder) {
  const ScratchFolder scratch;
  scratch.Write("file", "");
  scratch.MakePipe("pipe");
  for (const std::string& path : {std::string(), scratch.At("none"), scratch.At("file"),
                                  scratch.At("pipe"), scratch.path() + std::string("\0x", 2)}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(Workspace::Open(path), StatusIs(kInvalidArgument));
  }
}

}  // namespace
}  // namespace cursorwire::workspace
