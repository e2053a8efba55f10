#include "workspace/search/list_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "support/without_root_rights.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using enum absl::StatusCode;

std::string NameOf(const LsFolder& folder) {
  return folder.path.substr(folder.path.rfind('/') + 1);
}

// "a{b c/{d}}": folders before files; "?n" for one that is not listed, with its number of files.
std::string Below(const LsFolder& folder) {
  if (!folder.listed) return "?" + std::to_string(folder.file_count);
  std::string text;
  for (const LsFolder& below : folder.folders) {
    text += (text.empty() ? "" : " ") + NameOf(below) + "/" + Below(below);
  }
  for (const std::string& file : folder.files) text += (text.empty() ? "" : " ") + file;
  return "{" + text + "}";
}

class FolderTreeTest : public testing::Test {
 protected:
  absl::StatusOr<LsOutput> List(const LsArgs& args, std::stop_token stop = {}) const {
    const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path());
    if (!workspace.ok()) return workspace.status();
    return ListTree(*workspace, options_, args, {.stop = std::move(stop)});
  }
  // As Below(), or the error.
  std::string Tree(const LsArgs& args = {}) const {
    const absl::StatusOr<LsOutput> output = List(args);
    return output.ok() ? Below(output->root) : output.status().ToString();
  }

  ScratchFolder scratch_;
  LocalExecOptions options_;
};

TEST_F(FolderTreeTest, ListsAllBelowSorted) {
  for (const char* file : {"b.cc", "a.cc", "sub/z", "sub/deep/y", ".hidden", "B"}) {
    scratch_.Write(file, "");
  }
  scratch_.MakeFolder("empty");
  EXPECT_EQ(Tree(), "{empty/{} sub/{deep/{y} z} .hidden B a.cc b.cc}");
  EXPECT_EQ(Tree({.path = "sub"}), "{deep/{y} z}");
  const absl::StatusOr<LsOutput> output = List({.path = scratch_.At("sub/")});
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->root.path, scratch_.At("sub"));
  EXPECT_EQ(output->root.folders[0].path, scratch_.At("sub/deep"));
  EXPECT_EQ(output->root.file_count, 2);
  EXPECT_FALSE(output->timed_out);
}

TEST_F(FolderTreeTest, ShowsLinksAndFollowsNone) {
  scratch_.Write("sub/file", "");
  scratch_.MakeLink("to_sub", "sub");
  scratch_.MakeLink("to_root", "/");
  scratch_.MakeLink("loop", ".");
  scratch_.MakePipe("pipe");
  EXPECT_EQ(Tree(), "{sub/{file} loop pipe to_root to_sub}");
  EXPECT_EQ(Tree({.path = "to_sub"}), "{file}");
  EXPECT_THAT(List({.path = "to_root"}), StatusIs(kPermissionDenied));
}

TEST_F(FolderTreeTest, LeavesOutWhatIsIgnored) {
  scratch_.Write(".git/config", "");
  scratch_.Write(".gitignore", "*.o\n/build/\n!keep.o\n");
  scratch_.Write("a.o", "");
  scratch_.Write("keep.o", "");
  scratch_.Write("build/x", "");
  scratch_.Write("sub/build/x", "");
  scratch_.Write("sub/.git/config", "");
  scratch_.Write("sub/.gitignore", "!a.o\nx.txt\n");
  scratch_.Write("sub/a.o", "");
  scratch_.Write("sub/b.o", "");
  scratch_.Write("sub/x.txt", "");
  scratch_.Write("x.txt", "");
  EXPECT_EQ(Tree(), "{sub/{build/{x} .gitignore a.o} .gitignore keep.o x.txt}");
  // The rules of the folders above hold too.
  EXPECT_EQ(Tree({.path = "sub"}), "{build/{x} .gitignore a.o}");
  // What is asked for by name is listed, ignored or not.
  EXPECT_EQ(Tree({.path = "build"}), "{x}");
  EXPECT_EQ(Tree({.ignore = {"**/build/**", ".gitignore", "*.{o,x}"}}), "{sub/{build/{}} x.txt}");
  EXPECT_EQ(Tree({.path = "sub", .ignore = {"/build/", ""}}), "{.gitignore a.o}");
}

TEST_F(FolderTreeTest, LeavesOutWhatIsHiddenFromTheAgentAlone) {
  scratch_.Write(".gitignore", "*.o");  // without a line end
  scratch_.Write(".cursorignore", "/secret/\n!keep.o\n");
  for (const char* file : {"a.o", "keep.o", "secret/key", "sub/secret/key", "sub/keep.o"}) {
    scratch_.Write(file, "");
  }
  EXPECT_EQ(Tree(), "{sub/{secret/{key} keep.o} .cursorignore .gitignore keep.o}");
  scratch_.Write("sub/.cursorignore", "secret\n");
  EXPECT_EQ(Tree({.path = "sub"}), "{.cursorignore keep.o}");
}

TEST_F(FolderTreeTest, ReadsNoRulesThroughALinkOrPipe) {
  scratch_.Write("rules", "a\n");
  scratch_.Write("a", "");
  scratch_.MakeLink(".gitignore", "rules");
  scratch_.MakePipe("sub/.gitignore");
  EXPECT_EQ(Tree({.ignore = {".gitignore", "rules"}}), "{sub/{} a}");
}

TEST_F(FolderTreeTest, CountsWhatThereIsNoRoomFor) {
  options_.max_ls_entries = 4;
  for (const char* file : {"a/1.cc", "a/2.cc", "a/3.h", "a/x/4.cc", "a/x/README", "a/x/.profile",
                           "a/x/5.", "b/6.cc", "c/7.cc"}) {
    scratch_.Write(file, "");
  }
  const absl::StatusOr<LsOutput> output = List({});
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(Below(output->root), "{a/?7 b/{6.cc} c/?1}");
  EXPECT_EQ(output->root.file_count, 9);
  EXPECT_THAT(output->root.folders[0].extension_counts, ElementsAre(Pair(".cc", 3), Pair(".h", 1)));
  EXPECT_THAT(output->root.folders[1].extension_counts, IsEmpty());
}

TEST_F(FolderTreeTest, ShowsTheFirstEntriesOfAFolderThatIsTooLarge) {
  options_.max_ls_entries = 3;
  for (const char* file : {"a", "b/1", "b/2", "c", "d", "e"}) scratch_.Write(file, "");
  const absl::StatusOr<LsOutput> output = List({});
  ASSERT_THAT(output, IsOk());
  EXPECT_FALSE(output->root.listed);
  EXPECT_EQ(output->root.file_count, 6);
  EXPECT_THAT(output->root.files, ElementsAre("a", "c"));
  ASSERT_EQ(output->root.folders.size(), 1u);
  EXPECT_EQ(output->root.folders[0].file_count, 0);
  EXPECT_FALSE(output->root.folders[0].listed);
}

TEST_F(FolderTreeTest, CompletesUpperLevelsFirst) {
  options_.max_ls_entries = 5;
  scratch_.Write("a/b/c/d", "");
  scratch_.Write("x/1", "");
  scratch_.Write("y/1", "");
  EXPECT_EQ(Tree(), "{a/{b/?1} x/{1} y/?1}");
  options_.max_ls_entries = 6;
  EXPECT_EQ(Tree(), "{a/{b/?1} x/{1} y/{1}}");
  options_.max_ls_entries = 2;
  EXPECT_EQ(Tree(), "?3");
}

TEST_F(FolderTreeTest, OnlyCountsWhatIsVeryDeep) {
  std::string path;
  for (int i = 0; i < 60; ++i) path += "d/";
  scratch_.Write(path + "file.cc", "");
  const absl::StatusOr<LsOutput> output = List({});
  ASSERT_THAT(output, IsOk());
  const LsFolder* folder = &output->root;
  int depth = 0;
  for (; folder->listed; ++depth) folder = &folder->folders.at(0);
  EXPECT_EQ(depth, 40);
  EXPECT_EQ(folder->file_count, 1);
  EXPECT_THAT(folder->extension_counts, ElementsAre(Pair(".cc", 1)));
}

TEST_F(FolderTreeTest, ReplacesBytesThatAreNoUtf8) {
  scratch_.Write("a\xFF.\xFE", "");
  scratch_.Write("d\xFF/b\nc", "");
  EXPECT_EQ(Tree(), "{d\xEF\xBF\xBD/{b\nc} a\xEF\xBF\xBD.\xEF\xBF\xBD}");
}

TEST_F(FolderTreeTest, ListsWhatWasFoundInTime) {
  scratch_.Write("a", "");
  options_.timeout = std::chrono::milliseconds(0);
  const absl::StatusOr<LsOutput> output = List({});
  ASSERT_THAT(output, IsOk());
  EXPECT_TRUE(output->timed_out);
  EXPECT_FALSE(output->root.listed);
}

TEST_F(FolderTreeTest, TakesTheSmallerTimeout) {
  // So many rules that to read them takes longer.
  std::string rules;
  for (int i = 0; i < 20'000; ++i) rules += "*a*b*c*d\n";
  scratch_.Write(".gitignore", rules);
  options_.timeout = std::chrono::hours(1);
  const absl::StatusOr<LsOutput> output = List({.timeout = std::chrono::milliseconds(1)});
  ASSERT_THAT(output, IsOk());
  EXPECT_TRUE(output->timed_out);
}

TEST_F(FolderTreeTest, StopsWhenTold) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(List({}, stop.get_token()), StatusIs(kCancelled));
}

TEST_F(FolderTreeTest, SaysWhatIsWrong) {
  scratch_.Write("file", "");
  EXPECT_THAT(List({.path = "file"}), StatusIs(kInvalidArgument));
  EXPECT_THAT(List({.path = "none"}), StatusIs(kNotFound));
  EXPECT_THAT(List({.path = ".."}), StatusIs(kPermissionDenied));
  EXPECT_THAT(List({.ignore = {"[a"}}), StatusIs(kInvalidArgument));
}

TEST_F(FolderTreeTest, ShowsWhatCannotBeReadAsNotListed) {
  scratch_.Write("closed/file", "");
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(scratch_.At("closed"), std::filesystem::perms::none);
  {
    const test::WithoutRootRights rights;
    EXPECT_EQ(Tree(), "{closed/?0}");
  }
  std::filesystem::permissions(scratch_.At("closed"), std::filesystem::perms::owner_all);
}

TEST_F(FolderTreeTest, StopsInTimeWhateverIsLeft) {
  std::string rules;
  while (rules.size() < 256 * 1024) rules += "?a\n";
  for (int i = 0; i < 40; ++i) {
    scratch_.Write("d" + std::to_string(i) + "/.gitignore", rules);
    scratch_.MakeFolder("d" + std::to_string(i) + "/below");
  }
  const absl::StatusOr<LsOutput> output = List({.timeout = std::chrono::milliseconds(100)});
  ASSERT_THAT(output, IsOk());
  EXPECT_TRUE(output->timed_out);
}

TEST_F(FolderTreeTest, RefusesMoreGlobsThanItCanHold) {
  EXPECT_THAT(List({.ignore = std::vector<std::string>(256, "a")}), IsOk());
  EXPECT_THAT(List({.ignore = std::vector<std::string>(257, "a")}), StatusIs(kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire::workspace
