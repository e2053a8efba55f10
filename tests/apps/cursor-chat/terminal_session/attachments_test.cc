#include "terminal_session/attachments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/scratch_folder.h"

namespace cursor_chat {
namespace {

using cursorwire::AttachedFile;
using cursorwire::AttachedFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Paths(std::string_view prompt) {
  std::vector<std::string> paths;
  for (const NamedPath& named : PathsIn(prompt)) {
    paths.push_back(named.path + (named.certain ? "!" : ""));
  }
  return paths;
}

TEST(PathsIn, TakesWordsThatBeginWithAnAt) {
  EXPECT_THAT(Paths("see @src/a.cc and @docs"), ElementsAre("src/a.cc", "docs"));
  EXPECT_THAT(Paths("@\"a b\" (@c)"), ElementsAre("a b!", "c)"));
  EXPECT_THAT(Paths("@a\\ b.txt and @c\\ d\\"), ElementsAre("a b.txt", "c d\\"));
  EXPECT_THAT(Paths("ada@example.com \\@src/a x@y @ @\"open"), IsEmpty());
}

class AttachmentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ + "/src");
    Write("/a.txt", "one\n");
    Write("/src/b c.txt", "two\n");
    Write("/binary", std::string("\xFF\x00", 2));
    Write("/large", std::string(kMaxAttachedFileBytes + 1, 'x'));
    std::ofstream(scratch_.path() + "/secret") << "secret";
    std::filesystem::create_symlink(scratch_.path() + "/secret", folder_ + "/link");
    absl::StatusOr<Attachments> opened = Attachments::Open(folder_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    attachments_.emplace(*std::move(opened));
  }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + name) << content;
  }

  const cursorwire::test::ScratchFolder scratch_;
  const std::string folder_ = scratch_.path() + "/work";
  std::optional<Attachments> attachments_;
};

TEST_F(AttachmentsTest, ReadsFilesAndListsFolders) {
  const auto named =
      attachments_->ReadNamed("@a.txt, @a.txt @src: and @\"src/b c.txt\"; ask ada@b.c or @ada.");
  ASSERT_TRUE(named.ok()) << named.status();
  ASSERT_THAT(*named, SizeIs(3));
  const auto& file = std::get<AttachedFile>((*named)[0]);
  EXPECT_EQ(file.content, "one\n");
  EXPECT_EQ(file.relative_path, "a.txt");
  EXPECT_EQ(file.path, attachments_->folder() + "/a.txt");
  EXPECT_THAT(std::get<AttachedFolder>((*named)[1]).tree.files, ElementsAre("b c.txt"));
  EXPECT_EQ(std::get<AttachedFile>((*named)[2]).content, "two\n");
}

TEST_F(AttachmentsTest, LeaveNamesOfPackagesAlone) {
  const auto named = attachments_->ReadNamed(
      "import x from \"@angular/core\"; {\"@types/node\": 1} @no/such @scope/x");
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_THAT(*named, IsEmpty());
}

TEST_F(AttachmentsTest, ReadsAFileOnceHoweverItIsSpelled) {
  const auto named = attachments_->ReadNamed("@a.txt @./a.txt @src/../a.txt");
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_THAT(*named, SizeIs(1));
}

TEST_F(AttachmentsTest, AreBoundedInAll) {
  const std::vector<std::string> many(kMaxAttachedPaths + 1, "a.txt");
  EXPECT_THAT(std::string(attachments_->ReadEach(many).status().message()),
              HasSubstr("more than can be attached"));
}

TEST_F(AttachmentsTest, RefusesWhatIsMissingOutsideOrNoText) {
  const struct {
    const char* prompt;
    const char* message;
  } cases[] = {
      {"@src/such", "src/such: there is no such file"},
      {"@\"no such\"", "no such: there is no such file"},
      {"@../secret", "../secret: the path leads out"},
      {"@link", "link: a symbolic link on the path leads out"},
      {"@/etc/hostname", "the path leads out"},
      {"@binary", "binary: this is no text"},
      {"@large", "large: this is larger than 1 MiB"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.prompt);
    const auto named = attachments_->ReadNamed(c.prompt);
    EXPECT_EQ(named.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(named.status().message()), HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace cursor_chat
