#include "files/locked_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "support/scratch_home.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kMake = LockedFile::Missing::kMake;
constexpr auto kRefuse = LockedFile::Missing::kRefuse;

TEST(LockedFile, IsTakenInTurn) {
  const ScratchHome home;
  const std::string path = home.At("file");
  std::optional<LockedFile> first = *LockedFile::Open(path, kMake);
  EXPECT_THAT(LockedFile::OpenInTurn(path, kRefuse, milliseconds(1), {}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr(path)));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(LockedFile::OpenInTurn(path, kRefuse, std::chrono::hours(1), stop.get_token()),
              StatusIs(absl::StatusCode::kCancelled));
  std::thread second([&path] {
    EXPECT_THAT(LockedFile::OpenInTurn(path, kRefuse, std::chrono::hours(1), {}), IsOk());
  });
  first.reset();
  second.join();
}

TEST(LockedFile, StaysBehindALink) {
  const ScratchHome home;
  for (const char* target : {"there", "missing"}) {
    SCOPED_TRACE(target);
    const std::string link = home.At(std::string("link-to-") + target);
    ASSERT_EQ(::symlink(target, link.c_str()), 0);
    if (std::string(target) == "there") home.Write("there", "old");
    absl::StatusOr<LockedFile> file = LockedFile::Open(link, kMake);
    ASSERT_THAT(file, IsOk());
    ASSERT_THAT(file->Replace("new"), IsOk());
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_THAT(ReadPrivateFile(home.At(target), 100), IsOkAndHolds(std::optional("new")));
  }
}

TEST(LockedFile, RemovesWhatAKilledProcessHasLeft) {
  const ScratchHome home;
  home.Write("file", "old");
  home.Write(".file.cursorwire-new", "half");
  LockedFile::Open(home.At("file"), kRefuse)->Remove();
  EXPECT_FALSE(std::filesystem::exists(home.At("file")));
  EXPECT_FALSE(std::filesystem::exists(home.At(".file.cursorwire-new")));
}

TEST(LockedFile, AppendsAfterTheBytesThatAreKept) {
  const ScratchHome home;
  auto file = LockedFile::Open(home.At("file"), kMake);
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(file->Append(0, "one torn"), IsOk());
  EXPECT_THAT(file->Append(4, "two"), IsOk());
  EXPECT_THAT(file->Read(100), IsOkAndHolds("one two"));
  ASSERT_THAT(file->Replace("new"), IsOk());
  EXPECT_THAT(file->Append(3, " and more"), IsOk());
  EXPECT_THAT(file->Read(100), IsOkAndHolds("new and more"));
  home.Write("other", "other");
  std::filesystem::rename(home.At("other"), home.At("file"));
  EXPECT_THAT(file->Append(0, "lost"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(LockedFile, DoesNotAppendToAFileThatIsGone) {
  const ScratchHome home;
  auto file = LockedFile::Open(home.At("file"), kMake);
  ASSERT_THAT(file, IsOk());
  std::filesystem::remove(home.At("file"));
  EXPECT_THAT(file->Append(0, "lost"),
              StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("removed")));
  EXPECT_THAT(file->Replace("all of it"), IsOk());
  EXPECT_THAT(file->Append(3, " is there"), IsOk());
}

TEST(FileError, OfAFullDiskIsNoLimitOfTheAccount) {
  for (const int error : {ENOSPC, EDQUOT}) {
    EXPECT_THAT(
        FileError("write", "/some/file", error),
        StatusIs(absl::StatusCode::kFailedPrecondition,
                 AllOf(HasSubstr("write /some/file: "), HasSubstr(": make room on that disk"))));
  }
  EXPECT_THAT(FileError("read", "/some/file", ENOENT), StatusIs(absl::StatusCode::kNotFound));
}

TEST(ReadPrivateFile, RefusesWhatOthersMayRead) {
  const ScratchHome home;
  EXPECT_THAT(ReadPrivateFile(home.At("none"), 100), IsOkAndHolds(std::nullopt));
  home.Write("file", "12345");
  EXPECT_THAT(ReadPrivateFile(home.At("file"), 5), IsOkAndHolds(std::optional("12345")));
  EXPECT_THAT(ReadPrivateFile(home.At("file"), 4), StatusIs(absl::StatusCode::kResourceExhausted));
  ASSERT_EQ(::chmod(home.At("file").c_str(), 0604), 0);
  EXPECT_THAT(ReadPrivateFile(home.At("file"), 100),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("0604")));
  EXPECT_THAT(ReadPrivateFile(home.At("."), 100),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not a plain file")));
}

}  // namespace
}  // namespace cursorwire::test
