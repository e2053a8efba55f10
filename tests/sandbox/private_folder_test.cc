#include "sandbox/private_folder.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::sandbox {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PrivateFolderTest : public testing::Test {
 protected:
  std::unique_ptr<PrivateFolder> Make() {
    absl::StatusOr<std::unique_ptr<PrivateFolder>> made = PrivateFolder::Create(parent_.path());
    EXPECT_THAT(made, IsOk());
    return made.ok() ? *std::move(made) : nullptr;
  }
  // As a process that was killed has left it.
  std::string Leave(const std::string& name) {
    parent_.MakeFolder(name);
    parent_.Write(name + "/deep/file", "x");
    return parent_.At(name);
  }
  static bool IsThere(const std::string& path) {
    struct stat facts {};
    return ::lstat(path.c_str(), &facts) == 0;
  }

  test::ScratchFolder parent_;
};

TEST_F(PrivateFolderTest, IsOursAloneAndGoneAfterwards) {
  auto folder = Make();
  const std::string path = folder->path();
  EXPECT_THAT(path, StartsWith(parent_.At(absl::StrCat("cursorwire-sandbox-", ::getpid(), "-"))));
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0700U);
  EXPECT_EQ(facts.st_uid, ::geteuid());
  folder.reset();
  EXPECT_FALSE(IsThere(path));
}

TEST_F(PrivateFolderTest, HasAPathWithoutLinks) {
  parent_.MakeFolder("real");
  parent_.MakeLink("link", parent_.At("real"));
  const auto folder = PrivateFolder::Create(parent_.At("link"));
  ASSERT_THAT(folder, IsOk());
  EXPECT_THAT((*folder)->path(), StartsWith(parent_.At("real/")));
}

TEST_F(PrivateFolderTest, SaysWhyItCannotBeMade) {
  EXPECT_THAT(PrivateFolder::Create(parent_.At("missing")),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("TMPDIR")));
}

TEST_F(PrivateFolderTest, RemovesWhateverACommandLeaves) {
  parent_.Write("outside/kept", "kept");
  parent_.MakeFolder("outside/folder");
  auto folder = Make();
  const std::string path = folder->path();
  ASSERT_EQ(::mkdir((path + "/closed").c_str(), 0700), 0);
  ASSERT_EQ(::mkdir((path + "/closed/inner").c_str(), 0700), 0);
  ASSERT_EQ(::symlink(parent_.At("outside").c_str(), (path + "/closed/link").c_str()), 0);
  ASSERT_EQ(::symlink(parent_.At("outside/kept").c_str(), (path + "/link").c_str()), 0);
  ASSERT_EQ(::symlink("/", (path + "/.moved-1").c_str()), 0);
  ASSERT_EQ(::mkfifo((path + "/pipe").c_str(), 0), 0);
  ASSERT_EQ(::chmod((path + "/closed/inner").c_str(), 0), 0);
  ASSERT_EQ(::chmod((path + "/closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_THAT(folder->Remove(), IsOk());
  EXPECT_FALSE(IsThere(path));
  EXPECT_TRUE(IsThere(parent_.At("outside/kept")));
  EXPECT_TRUE(IsThere(parent_.At("outside/folder")));
}

TEST_F(PrivateFolderTest, RemovesTreesOfAnyDepthAndBreadth) {
  constexpr int kDepth = 5000;  // more than there are descriptors, and than a path can name
  constexpr int kBreadth = 50;
  auto folder = Make();
  const std::string path = folder->path();
  FileDescriptor at(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int level = 0; level < kDepth; ++level) {
    ASSERT_EQ(::mkdirat(at.get(), "a", 0700), 0);
    at = FileDescriptor(::openat(at.get(), "a", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at.valid());
  }
  for (int i = 0; i < kBreadth; ++i) {
    const std::string name = absl::StrCat(path, "/", i);
    std::filesystem::create_directories(name + "/x/y");
    std::filesystem::create_directories(name + "/z/y");
  }
  EXPECT_THAT(folder->Remove(), IsOk());
  EXPECT_FALSE(IsThere(path));
}

TEST_F(PrivateFolderTest, RemovesThoseOfOwnersThatAreGone) {
  const std::string gone = Leave("cursorwire-sandbox-1-1-aaaaaa");  // process 1 started later
  const std::string own = Leave("cursorwire-sandbox-999999999-1-bbbbbb");
  const auto running = Make();
  EXPECT_FALSE(IsThere(gone));
  EXPECT_FALSE(IsThere(own));
  const auto other = Make();
  EXPECT_TRUE(IsThere(running->path()));
  EXPECT_NE(other->path(), running->path());
}

TEST_F(PrivateFolderTest, LeavesAloneWhatIsNotALeftFolderOfOurs) {
  const char* const names[] = {"cursorwire-sandbox-",
                               "cursorwire-sandbox-x-1-aaaaaa",
                               "cursorwire-sandbox-0-1-aaaaaa",
                               "cursorwire-sandbox--1-1-aaaaaa",
                               "cursorwire-sandbox-999999999-1",
                               "cursorwire-999999999-1-aaaaaa"};
  for (const char* name : names) Leave(name);
  parent_.MakeFolder("elsewhere");
  parent_.Write("elsewhere/kept", "kept");
  parent_.MakeLink("cursorwire-sandbox-999999999-1-linked", parent_.At("elsewhere"));
  parent_.Write("cursorwire-sandbox-999999999-1-afile", "kept");
  Make();
  for (const char* name : names) EXPECT_TRUE(IsThere(parent_.At(name))) << name;
  EXPECT_TRUE(IsThere(parent_.At("elsewhere/kept")));
  EXPECT_TRUE(IsThere(parent_.At("cursorwire-sandbox-999999999-1-linked")));
  EXPECT_TRUE(IsThere(parent_.At("cursorwire-sandbox-999999999-1-afile")));
}

TEST_F(PrivateFolderTest, LeavesAloneThoseOfOtherUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const std::string theirs = Leave("cursorwire-sandbox-999999999-1-cccccc");
  ASSERT_EQ(::chown(theirs.c_str(), 65534, 65534), 0);
  Make();
  EXPECT_TRUE(IsThere(theirs + "/deep/file"));
}

TEST_F(PrivateFolderTest, LeavesAloneOneThatIsLocked) {
  auto in_use = Make();
  // As an owner in another container looks from here.
  const std::string moved = parent_.At("cursorwire-sandbox-999999999-1-dddddd");
  ASSERT_EQ(::rename(in_use->path().c_str(), moved.c_str()), 0);
  Make();
  EXPECT_TRUE(IsThere(moved));
  in_use.reset();
  Make();
  EXPECT_FALSE(IsThere(moved));
}

}  // namespace
}  // namespace cursorwire::sandbox
