#include "cursorwire/context/project_layout.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::context {
namespace {

using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::Pair;

// "{sub/{a} b}"; "?2" in place of the names of 2 files; "+?" after those that are named.
std::string Drawn(const LsFolder& folder) {
  std::string text;
  const auto add = [&text](const std::string& element) {
    absl::StrAppend(&text, text.empty() ? "" : " ", element);
  };
  for (const LsFolder& child : folder.folders) {
    add(absl::StrCat(child.path.substr(child.path.rfind('/') + 1), "/", Drawn(child)));
  }
  for (const std::string& file : folder.files) add(file);
  if (folder.listed) return absl::StrCat("{", text, "}");
  return absl::StrCat(text.empty() ? "" : absl::StrCat("{", text, "}+"), "?", folder.file_count);
}

class ProjectLayoutTest : public ::testing::Test {
 protected:
  ProjectLayout Read(const LayoutOptions& options = {.timeout = std::chrono::seconds(60)}) {
    const absl::StatusOr<ProjectLayout> layout = ReadProjectLayout(scratch_.path(), options);
    EXPECT_TRUE(layout.ok()) << layout.status();
    return layout.ok() ? *layout : ProjectLayout();
  }

  test::ScratchFolder scratch_;
};

TEST_F(ProjectLayoutTest, IsSortedAndLeavesOutWhatIsIgnored) {
  for (const char* file : {"b", "a", "sub/deep/c.cc", "out/x.o", "key", ".git/HEAD", "sub/z"}) {
    scratch_.Write(file, "");
  }
  scratch_.Write(".gitignore", "/out/\n");
  scratch_.Write(".cursorignore", "key\n");
  scratch_.MakeLink("away", "/");
  const ProjectLayout layout = Read();
  EXPECT_EQ(Drawn(layout.root), "{sub/{deep/{c.cc} z} .cursorignore .gitignore a away b}");
  EXPECT_EQ(layout.root.path, scratch_.path());
  EXPECT_FALSE(layout.truncated);
}

TEST_F(ProjectLayoutTest, CountsWhatIsTooDeep) {
  for (const char* file : {"a/b/c/1.cc", "a/b/c/d/2.cc", "a/b/3.h", "a/4", "5"}) {
    scratch_.Write(file, "");
  }
  const std::chrono::milliseconds timeout(60'000);
  EXPECT_FALSE(Read({.max_depth = 5, .timeout = timeout}).truncated);
  const ProjectLayout layout = Read({.max_depth = 2, .timeout = timeout});
  EXPECT_EQ(Drawn(layout.root), "{a/{b/?3 4} 5}");
  EXPECT_TRUE(layout.truncated);
  EXPECT_THAT(layout.root.folders[0].folders[0].extension_counts,
              ElementsAre(Pair(".cc", 2), Pair(".h", 1)));
  EXPECT_EQ(Drawn(Read({.max_depth = 1, .timeout = timeout}).root), "{a/?4 5}");
  EXPECT_EQ(Drawn(Read({.max_depth = 0, .timeout = timeout}).root), "{a/?4 5}");
}

TEST_F(ProjectLayoutTest, LeavesOutWhatThereIsNoRoomFor) {
  for (int i = 0; i < 30; ++i) scratch_.Write(absl::StrCat("many/", i), "");
  scratch_.Write("few/a", "");
  const ProjectLayout layout = Read({.max_entries = 10, .timeout = std::chrono::seconds(60)});
  EXPECT_EQ(Drawn(layout.root), "{few/{a} many/?30}");
  EXPECT_TRUE(layout.truncated);
}

TEST_F(ProjectLayoutTest, CannotListWhatIsNoFolder) {
  scratch_.Write("file", "");
  EXPECT_THAT(ReadProjectLayout(scratch_.At("file")), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ReadProjectLayout(scratch_.At("none")), StatusIs(absl::StatusCode::kInvalidArgument));
}

LsFolder ExampleFolder() {
  const LsFolder deep{.path = "/w/a/b", .files = {"1.cc", "2.cc"}, .listed = true, .file_count = 2};
  const LsFolder sub{
      .path = "/w/a", .folders = {deep}, .files = {"3.h"}, .listed = true, .file_count = 3};
  return {.path = "/w",
          .folders = {sub},
          .files = {"4", "5", "6", "7", "8", "9", "x", "y"},
          .listed = true,
          .file_count = 11};
}

TEST(LimitLayout, CutsTheDeepestFirst) {
  const struct {
    size_t max_bytes;
    const char* drawn;
    size_t bytes;
  } cases[] = {
      {31, "{a/{b/{1.cc 2.cc} 3.h} 4 5 6 7 8 9 x y}", 31},
      {30, "{a/{b/?2 3.h} 4 5 6 7 8 9 x y}", 26},
      {26, "{a/{b/?2 3.h} 4 5 6 7 8 9 x y}", 26},
      {25, "{a/?3 4 5 6 7 8 9 x y}", 19},
      {19, "{a/?3 4 5 6 7 8 9 x y}", 19},
      {18, "{a/?3 4 5}+?11", 18},
      {16, "{a/?3}+?11", 16},
      {15, "?11", 7},
      {6, "?11", 2},
      {0, "?11", 2},  // its path
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.max_bytes);
    ProjectLayout layout{.root = ExampleFolder()};
    LimitLayout(layout, 10, c.max_bytes);
    EXPECT_EQ(Drawn(layout.root), c.drawn);
    EXPECT_EQ(LayoutBytes(layout.root), c.bytes);
    EXPECT_EQ(layout.truncated, c.max_bytes < 31);
  }
}

}  // namespace
}  // namespace cursorwire::context
