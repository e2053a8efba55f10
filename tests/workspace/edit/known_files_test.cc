#include "workspace/edit/known_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "cursorwire/workspace.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "workspace/fs/text_encoding.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::HasSubstr;
using enum absl::StatusCode;

namespace fs = std::filesystem;

absl::Status AllowAll(const LocalAction& /*action*/, const ActionContext& /*context*/) {
  return absl::OkStatus();
}

TEST(KnownFiles, LetsWriteWhatItWasNotToldOf) {
  const KnownFiles known;
  EXPECT_THAT(known.Check("/a", StateOfContent("text")), IsOk());
  EXPECT_THAT(known.CheckText("/a", "text"), IsOk());
}

TEST(KnownFiles, ComparesContentsAndNotTimes) {
  KnownFiles known;
  FileState read = StateOfContent("text");
  read.modified_ns = 1;
  known.Tell("/a", read);
  EXPECT_THAT(known.Check("/a", StateOfContent("text")), IsOk());
  EXPECT_THAT(known.Check("/a", StateOfContent("Text")), StatusIs(kAborted));
  EXPECT_THAT(known.Check("/a", {}), IsOk()) << "nothing of a file that has gone can be lost";
}

TEST(KnownFiles, ComparesFactsWhereThereAreNoHashes) {
  const FileState large{.exists = true, .device = 1, .inode = 2, .bytes = 3, .modified_ns = 4};
  const struct {
    const char* name;
    FileState now;
  } kChanges[] = {
      {"device", {.exists = true, .device = 9, .inode = 2, .bytes = 3, .modified_ns = 4}},
      {"inode", {.exists = true, .device = 1, .inode = 9, .bytes = 3, .modified_ns = 4}},
      {"bytes", {.exists = true, .device = 1, .inode = 2, .bytes = 9, .modified_ns = 4}},
      {"time", {.exists = true, .device = 1, .inode = 2, .bytes = 3, .modified_ns = 9}},
      {"became small", StateOfContent("abc")},
  };
  KnownFiles known;
  known.Tell("/a", large);
  EXPECT_THAT(known.Check("/a", large), IsOk());
  for (const auto& change : kChanges) {
    SCOPED_TRACE(change.name);
    EXPECT_THAT(known.Check("/a", change.now), StatusIs(kAborted));
  }
}

TEST(KnownFiles, KnowsWhatAnEditorHas) {
  KnownFiles known;
  known.Tell("/a", StateOfContent("on disk"));
  EXPECT_THAT(known.CheckText("/a", "on disk"), IsOk());
  EXPECT_THAT(known.CheckText("/a", "unsaved"), StatusIs(kAborted));
  known.TellText("/a", "unsaved");
  EXPECT_THAT(known.CheckText("/a", "unsaved"), IsOk());
  EXPECT_THAT(known.CheckText("/a", "on disk"), StatusIs(kAborted)) << "the user went back to it";
  EXPECT_THAT(known.Check("/a", StateOfContent("on disk")), IsOk()) << "it is not saved yet";
  EXPECT_THAT(known.Check("/a", StateOfContent("unsaved")), IsOk()) << "saved as it was told";
  EXPECT_THAT(known.Check("/a", StateOfContent("more")), StatusIs(kAborted)) << "saved later";
  known.Tell("/a", StateOfContent("on disk"));
  EXPECT_THAT(known.CheckText("/a", "unsaved"), StatusIs(kAborted)) << "read from the disk since";
}

TEST(KnownFiles, KnowsWhatDidNotExist) {
  KnownFiles known;
  known.Tell("/a", {});
  EXPECT_THAT(known.Check("/a", {}), IsOk());
  EXPECT_THAT(known.Check("/a", StateOfContent("")),
              StatusIs(kAborted, HasSubstr("read it first")));
  EXPECT_THAT(known.CheckText("/a", "new"), StatusIs(kAborted, HasSubstr("read it first")));
}

TEST(KnownFiles, ForgetsTheOneThatWasUsedLongestAgo) {
  KnownFiles known;
  for (size_t i = 0; i < KnownFiles::kMaxFiles; ++i) {
    known.Tell("/" + std::to_string(i), StateOfContent("old"));
  }
  known.Tell("/0", StateOfContent("old"));
  known.Tell("/one more", StateOfContent("old"));
  const FileState now = StateOfContent("new");
  EXPECT_THAT(known.Check("/0", now), StatusIs(kAborted));
  EXPECT_THAT(known.Check("/1", now), IsOk()) << "forgotten";
  EXPECT_THAT(known.Check("/2", now), StatusIs(kAborted));
  EXPECT_THAT(known.Check("/one more", now), StatusIs(kAborted));
}

// What an agent and a person do to the same files.
class SharedFilesTest : public testing::Test {
 protected:
  void SetUp() override { Open({}); }
  void Open(LocalExecOptions options) {
    options.policy = AllowAll;
    auto handler = LocalExecHandler::Create(scratch_.path(), options);
    ASSERT_THAT(handler, IsOk());
    handler_ = *std::move(handler);
  }
  absl::Status Read(const std::string& path) { return handler_->Read({.path = path}, {}).status(); }
  absl::Status Write(const std::string& path, const std::string& content) {
    return handler_->Write({.path = path, .content = content}, {}).status();
  }
  absl::Status Delete(const std::string& path) {
    return handler_->Delete({.path = path}, {}).status();
  }
  std::string Content(const std::string& path) const {
    std::ifstream file(scratch_.At(path), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  ScratchFolder scratch_;
  std::unique_ptr<LocalExecHandler> handler_;
};

TEST_F(SharedFilesTest, AWriteKeepsWhatWasSavedSinceTheRead) {
  scratch_.Write("notes.md", "alpha\nbeta\n");
  ASSERT_THAT(Read("notes.md"), IsOk());
  scratch_.Write("notes.md", "alpha\nbeta\na line of a person\n");
  EXPECT_THAT(Write("notes.md", "alpha\nBETA\n"),
              StatusIs(kAborted, HasSubstr("has changed since it was read: read it again")));
  EXPECT_THAT(Write("./notes.md", "alpha\nBETA\n"), StatusIs(kAborted)) << "once more";
  EXPECT_EQ(Content("notes.md"), "alpha\nbeta\na line of a person\n");

  ASSERT_THAT(Read("notes.md"), IsOk());
  EXPECT_THAT(Write("notes.md", "alpha\nBETA\na line of a person\n"), IsOk());
  EXPECT_EQ(Content("notes.md"), "alpha\nBETA\na line of a person\n");
}

TEST_F(SharedFilesTest, OneThatIsReadInPartIsKnownAsAWhole) {
  scratch_.Write("a", "one\ntwo\nthree\n");
  ASSERT_THAT(handler_->Read({.path = "a", .offset = 1, .limit = 1}, {}), IsOk());
  scratch_.Write("a", "one\ntwo\nTHREE\n");
  EXPECT_THAT(Write("a", "ONE\ntwo\nthree\n"), StatusIs(kAborted));
}

TEST_F(SharedFilesTest, WhatWasAttachedIsKnown) {
  scratch_.Write("a", "old");
  handler_->OnAttached({.path = scratch_.At("a"), .content = "old"});
  handler_->OnAttached({.path = "/etc/passwd", .content = "not below the folder"});
  EXPECT_THAT(Write("a", "OLD"), IsOk());
  scratch_.Write("a", "saved by a person");
  EXPECT_THAT(Write("a", "OLD again"), StatusIs(kAborted, HasSubstr("read it again")));
  EXPECT_EQ(Content("a"), "saved by a person");
  handler_->OnAttached({.path = scratch_.At("a"), .content = "saved by a person"});
  EXPECT_THAT(Write("a", "saved by both"), IsOk());
}

TEST_F(SharedFilesTest, WhatWasAttachedIsKnownInEachEncoding) {
  const std::string text = "one\ntwo\n";
  const std::string contents[] = {text,
                                  "one\r\ntwo\r\n",
                                  "one\ntwo",
                                  "\xEF\xBB\xBFone\ntwo\n",
                                  EncodeText(text, TextEncoding::kUtf16Le),
                                  EncodeText(text, TextEncoding::kUtf16Be)};
  for (const std::string& content : contents) {
    SCOPED_TRACE(::testing::PrintToString(content));
    scratch_.Write("a", content);
    handler_->OnAttached({.path = scratch_.At("a"), .content = text});
    EXPECT_THAT(Write("a", "ONE\n"), IsOk());
  }
}

TEST_F(SharedFilesTest, ADeleteKeepsWhatWasSavedSinceTheRead) {
  scratch_.Write("a", "old");
  ASSERT_THAT(Read("a"), IsOk());
  scratch_.Write("a", "new");
  EXPECT_THAT(Delete("a"), StatusIs(kAborted, HasSubstr("read it again")));
  EXPECT_EQ(Content("a"), "new");
  ASSERT_THAT(Read("a"), IsOk());
  EXPECT_THAT(Delete("a"), IsOk());
}

TEST_F(SharedFilesTest, TheAgentKnowsWhatItWroteAndDeleted) {
  EXPECT_THAT(Write("a", "one"), IsOk());
  EXPECT_THAT(Write("a", "two"), IsOk());
  scratch_.Write("a", "of a person");
  EXPECT_THAT(Write("a", "three"), StatusIs(kAborted));
  ASSERT_THAT(Read("a"), IsOk());
  ASSERT_THAT(Delete("a"), IsOk());
  EXPECT_THAT(Write("a", "four"), IsOk());
  ASSERT_THAT(Delete("a"), IsOk());
  scratch_.Write("a", "of a person");
  EXPECT_THAT(Write("a", "five"), StatusIs(kAborted)) << "made since the agent deleted it";
}

TEST_F(SharedFilesTest, AFileThatWasMadeSinceItWasMissingIsKept) {
  EXPECT_THAT(Read("sub/a"), StatusIs(kNotFound));
  scratch_.Write("sub/a", "of a person");
  EXPECT_THAT(Write("sub/a", "of the agent"), StatusIs(kAborted, HasSubstr("read it first")));
  EXPECT_EQ(Content("sub/a"), "of a person");
  EXPECT_THAT(Read("b"), StatusIs(kNotFound));
  EXPECT_THAT(Write("b", "of the agent"), IsOk());
}

TEST_F(SharedFilesTest, TheSameContentIsNoChange) {
  scratch_.Write("a", "text");
  ASSERT_THAT(Read("a"), IsOk());
  scratch_.SetModified("a", 1);
  EXPECT_THAT(Write("a", "new"), IsOk());
  scratch_.Write("b", "text");
  ASSERT_THAT(Read("b"), IsOk());
  scratch_.Write("c", "text");
  fs::rename(scratch_.At("c"), scratch_.At("b"));  // as editors save
  EXPECT_THAT(Write("b", "new"), IsOk());
}

TEST_F(SharedFilesTest, ItIsTheFileAndNotTheNameByWhichItIsAsked) {
  scratch_.Write("real/a", "text");
  scratch_.MakeLink("link", "real");
  ASSERT_THAT(Read("link/a"), IsOk());
  scratch_.Write("real/a", "changed");
  EXPECT_THAT(Write("real/a", "new"), StatusIs(kAborted));
}

TEST_F(SharedFilesTest, ChangesOfCommandsMustBeReadToo) {
  scratch_.Write("a", "text");
  ASSERT_THAT(Read("a"), IsOk());
  ASSERT_THAT(handler_->Shell({.command = "echo more >> a"}, {}), IsOk());
  EXPECT_THAT(Write("a", "new"), StatusIs(kAborted));
}

TEST_F(SharedFilesTest, AFileThatIsTooLargeToBeHashedIsKnownByItsTime) {
  Open({.max_write_bytes = 8});
  scratch_.Write("large", "more than eight bytes");
  ASSERT_THAT(Read("large"), IsOk());
  EXPECT_THAT(Write("large", "small"), IsOk());
  scratch_.Write("large", "more than eight bytes");
  ASSERT_THAT(Read("large"), IsOk());
  scratch_.SetModified("large", 1);
  EXPECT_THAT(Write("large", "small"), StatusIs(kAborted));
}

TEST_F(SharedFilesTest, LargeFilesAreHashedInPiecesAsAWhole) {
  const std::string content(size_t{300} * 1000, 'x');
  scratch_.Write("a", content);
  ASSERT_THAT(Read("a"), IsOk());
  EXPECT_THAT(Write("a", content + "y"), IsOk());
  ASSERT_THAT(Read("a"), IsOk());
  scratch_.Write("a", content + "z");
  EXPECT_THAT(Write("a", "new"), StatusIs(kAborted));
}

}  // namespace
}  // namespace cursorwire::workspace
