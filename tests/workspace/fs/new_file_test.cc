#include "workspace/fs/new_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class NewFileTest : public ::testing::Test {
 protected:
  NewFileTest() : handle_(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  bool HasNamelessFiles() const {
    return OpenFile(::openat(handle_.fd(), ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600)).fd() >= 0;
  }

  const test::ScratchFolder folder_;
  const OpenFile handle_;
};

// Otherwise a program that ends in the middle would leave it there.
TEST_F(NewFileTest, HasNoNameUntilItTakesItsPlace) {
  if (!HasNamelessFiles()) GTEST_SKIP() << "the file system has no files without a name";
  absl::StatusOr<NewFile> file = NewFile::Create(handle_, {});
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->Write("text", {}), IsOk());
  EXPECT_THAT(Names(), IsEmpty());
  ASSERT_THAT(file->TakePlaceOf({}, "a"), IsOk());
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(NewFileTest, TakesItsPlaceWhereItHasAName) {
  absl::StatusOr<NewFile> file = NewFile::CreateNamed(handle_, {});
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->Write("text", {}), IsOk());
  EXPECT_THAT(Names(), ElementsAre(StartsWith(".cursorwire-")));
  ASSERT_THAT(file->TakePlaceOf({}, "a"), IsOk());
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(NewFileTest, LeavesNothingWhereItsPlaceIsTaken) {
  for (const auto create : {&NewFile::Create, &NewFile::CreateNamed}) {
    {
      absl::StatusOr<NewFile> file = create(handle_, {});
      ASSERT_THAT(file, IsOk());
      folder_.Write("a", "of another");
      EXPECT_THAT(file->TakePlaceOf({}, "a"), test::StatusIs(absl::StatusCode::kAborted));
    }
    EXPECT_THAT(Names(), ElementsAre("a"));
  }
}

}  // namespace
}  // namespace cursorwire::workspace
