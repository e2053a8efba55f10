#include "collab/live/document_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "files/locked_file.h"
#include "support/scratch_home.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using absl::StatusCode;
using test::IsOk;
using test::IsOkAndHolds;
using test::ScratchHome;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFileTestId = "2oCSsRyfHGCrhHsQsMk5bLUKjJcd";

class DocumentFileTest : public ::testing::Test {
 protected:
  std::string folder() const { return home_.At("deep/below/documents"); }
  std::string PathOf(const std::string& suffix = "") const {
    return folder() + "/" + kFileTestId + ".automerge" + suffix;
  }
  std::string BytesOf(const std::string& path) const {
    const absl::StatusOr<std::optional<std::string>> bytes = ReadPrivateFile(path, 1 << 24);
    EXPECT_THAT(bytes, IsOk());
    return bytes.ok() && *bytes ? **bytes : "missing";
  }
  // Opened, and nothing of it cut.
  DocumentFile OpenWhole() {
    absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder(), kFileTestId);
    EXPECT_THAT(file, IsOk());
    const size_t size = file->TakeBytes().size();
    EXPECT_THAT(file->Keep({.whole = size}), IsOk());
    return *std::move(file);
  }

  ScratchHome home_;
};

TEST_F(DocumentFileTest, MakesItsFolderAndAPrivateFile) {
  const absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder(), kFileTestId);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->path(), PathOf());
  struct stat info {};
  ASSERT_EQ(::stat(PathOf().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_EQ(info.st_size, 0);
}

TEST_F(DocumentFileTest, NobodyElseMayHaveItOpen) {
  std::optional<DocumentFile> first = OpenWhole();
  EXPECT_THAT(DocumentFile::Open(folder(), kFileTestId),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(PathOf()), HasSubstr("another process uses this file"))));
  EXPECT_THAT(DocumentFile::Open(folder(), "another"), IsOk()) << "one document, not all";
  DocumentFile moved = *std::move(first);
  EXPECT_THAT(DocumentFile::Open(folder(), kFileTestId), StatusIs(StatusCode::kFailedPrecondition));
  ASSERT_THAT(moved.Replace("document"), IsOk());
  EXPECT_THAT(DocumentFile::Open(folder(), kFileTestId), StatusIs(StatusCode::kFailedPrecondition))
      << "the new file is locked too";
  { const DocumentFile gone = std::move(moved); }
  EXPECT_THAT(DocumentFile::Open(folder(), kFileTestId), IsOk());
}

TEST_F(DocumentFileTest, GivesItsBytesOnce) {
  ASSERT_THAT(OpenWhole().Append("chunks"), IsOk());
  absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder(), kFileTestId);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->TakeBytes(), "chunks");
  EXPECT_EQ(file->TakeBytes(), "");
}

TEST_F(DocumentFileTest, AppendsWhatComes) {
  {
    DocumentFile file = OpenWhole();
    EXPECT_THAT(file.Append("one "), IsOk());
    EXPECT_THAT(file.Append(""), IsOk());
    EXPECT_THAT(file.Append("two "), IsOk());
    EXPECT_EQ(BytesOf(PathOf()), "one two ") << "at once";
  }
  EXPECT_THAT(OpenWhole().Append("three"), IsOk());
  EXPECT_EQ(BytesOf(PathOf()), "one two three");
  EXPECT_FALSE(std::filesystem::exists(PathOf(".torn")));
}

TEST_F(DocumentFileTest, KeepsTheTornRestOnce) {
  ASSERT_THAT(OpenWhole().Append("whole torn"), IsOk());
  for (int i = 0; i < 3; ++i) {
    absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder(), kFileTestId);
    ASSERT_THAT(file, IsOk());
    EXPECT_EQ(file->TakeBytes(), i == 0 ? "whole torn" : "whole ");
    ASSERT_THAT(file->Keep({.whole = 6}), IsOk());
    ASSERT_THAT(file->Keep({.whole = 6}), IsOk());
    EXPECT_EQ(BytesOf(PathOf()), "whole ");
    EXPECT_EQ(BytesOf(PathOf(".torn")), "torn");
  }
  struct stat info {};
  ASSERT_EQ(::stat(PathOf(".torn").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder(), kFileTestId);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->Keep({.whole = 6}), IsOk());
  ASSERT_THAT(file->Append("and more"), IsOk());
  EXPECT_EQ(BytesOf(PathOf()), "whole and more");
}

TEST_F(DocumentFileTest, ALaterTornRestGoesBehindTheFormerOne) {
  for (const char* torn : {"first", "second"}) {
    ASSERT_THAT(OpenWhole().Append(torn), IsOk());
    absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder(), kFileTestId);
    ASSERT_THAT(file, IsOk());
    ASSERT_THAT(file->Keep({}), IsOk()) << "nothing of it counts";
  }
  EXPECT_EQ(BytesOf(PathOf()), "");
  EXPECT_EQ(BytesOf(PathOf(".torn")), "firstsecond");
}

// A program that ended between the two steps of Keep().
TEST_F(DocumentFileTest, ATornRestThatIsKeptAlreadyIsNotDoubled) {
  ASSERT_THAT(OpenWhole().Append("whole torn"), IsOk());
  { home_.Write(std::string("deep/below/documents/") + kFileTestId + ".automerge.torn", "torn"); }
  absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder(), kFileTestId);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->Keep({.whole = 6}), IsOk());
  EXPECT_EQ(BytesOf(PathOf(".torn")), "torn");
}

TEST_F(DocumentFileTest, IsReplacedWhereItIsLoose) {
  DocumentFile file = OpenWhole();
  EXPECT_FALSE(file.is_loose());
  ASSERT_THAT(file.Append(std::string(64 * 1024, 'x')), IsOk());
  EXPECT_FALSE(file.is_loose());
  ASSERT_THAT(file.Append("x"), IsOk());
  EXPECT_TRUE(file.is_loose());
  const std::string document(100000, 'd');
  ASSERT_THAT(file.Replace(document), IsOk());
  EXPECT_FALSE(file.is_loose());
  EXPECT_EQ(BytesOf(PathOf()), document);
  struct stat info {};
  ASSERT_EQ(::stat(PathOf().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  ASSERT_THAT(file.Append("more"), IsOk());
  EXPECT_EQ(BytesOf(PathOf()), document + "more");
  // As much again as the document, and some.
  ASSERT_THAT(file.Append(std::string(100000 + 64 * 1024 - 4, 'x')), IsOk());
  EXPECT_FALSE(file.is_loose());
  ASSERT_THAT(file.Append("x"), IsOk());
  EXPECT_TRUE(file.is_loose());
}

TEST_F(DocumentFileTest, CountsFromTheDocumentThatItBeginsWith) {
  ASSERT_THAT(OpenWhole().Append(std::string(200000, 'd')), IsOk());
  absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder(), kFileTestId);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->Keep({.whole = 200000, .document = 200000}), IsOk());
  EXPECT_FALSE(file->is_loose());
  ASSERT_THAT(file->Keep({.whole = 200000, .document = 0}), IsOk());
  EXPECT_TRUE(file->is_loose());
}

TEST_F(DocumentFileTest, RefusesWhatIsNotPrivate) {
  { OpenWhole(); }
  ASSERT_EQ(::chmod(PathOf().c_str(), 0644), 0);
  EXPECT_THAT(DocumentFile::Open(folder(), kFileTestId),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("0644")));
}

TEST_F(DocumentFileTest, SaysWhichFolderCannotBeMade) {
  home_.Write("file", "no folder");
  EXPECT_THAT(
      DocumentFile::Open(home_.At("file/below"), kFileTestId),
      testing::AllOf(testing::Not(IsOk()), testing::ResultOf(
                                               [](const absl::StatusOr<DocumentFile>& file) {
                                                 return std::string(file.status().message());
                                               },
                                               HasSubstr(home_.At("file")))));
}

TEST_F(DocumentFileTest, AnotherFileInItsPlaceIsNotTouched) {
  DocumentFile file = OpenWhole();
  ASSERT_THAT(file.Append("ours"), IsOk());
  home_.Write("other", "theirs");
  std::filesystem::rename(home_.At("other"), PathOf());
  EXPECT_THAT(file.Append("lost"), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(file.Replace("lost"), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(BytesOf(PathOf()), "theirs");
}

}  // namespace
}  // namespace cursorwire::collab
