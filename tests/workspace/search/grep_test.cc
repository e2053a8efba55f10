#include "workspace/search/grep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "workspace/search/line_search.h"
#include "workspace/search/list_tree.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::HasSubstr;
using enum absl::StatusCode;

// "path:1!text|2 text" for each file: "!" for a match, "..." after a line that was cut, "=n" for a
// file without lines.
std::string Text(const GrepOutput& output) {
  std::string text;
  for (const GrepFile& file : output.files) {
    text += (text.empty() ? "" : "\n") + file.path;
    if (file.lines.empty()) text += "=" + std::to_string(file.count);
    const char* separator = ":";
    for (const GrepLine& line : file.lines) {
      text += separator + std::to_string(line.number) + (line.is_context ? " " : "!") + line.text +
              (line.truncated ? "..." : "");
      separator = "|";
    }
  }
  return text;
}

class GrepTest : public testing::Test {
 protected:
  absl::StatusOr<GrepOutput> Grep(const GrepArgs& args, std::stop_token stop = {}) const {
    const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path());
    if (!workspace.ok()) return workspace.status();
    return SearchFiles(*workspace, options_, args, {.stop = std::move(stop)});
  }
  // As Text(), or the error.
  std::string Found(const GrepArgs& args) const {
    const absl::StatusOr<GrepOutput> output = Grep(args);
    return output.ok() ? Text(*output) : output.status().ToString();
  }

  ScratchFolder scratch_;
  LocalExecOptions options_;
};

TEST_F(GrepTest, FindsLinesInAllFilesByPath) {
  scratch_.Write("b.cc", "one\ntwo\n");
  scratch_.Write("a/z.cc", "two\r\ntwo and a half");
  scratch_.Write("a.h", "three");
  scratch_.Write(".hidden", "two");
  const absl::StatusOr<GrepOutput> output = Grep({.pattern = "^two"});
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(Text(*output), ".hidden:1!two\na/z.cc:1!two|2!two and a half\nb.cc:2!two");
  EXPECT_EQ(output->root, scratch_.path());
  EXPECT_EQ(output->total_files, 3);
  EXPECT_EQ(output->total_matches, 4);
  EXPECT_EQ(output->files[1].count, 2);
  EXPECT_FALSE(output->truncated);
  EXPECT_FALSE(output->offset_applied.has_value());
  EXPECT_FALSE(output->head_limit_applied.has_value());
}

TEST_F(GrepTest, SearchesAFolderOrAFile) {
  scratch_.Write("sub/deep/a", "x");
  scratch_.Write("sub/b", "x");
  scratch_.Write("c", "x");
  scratch_.MakeLink("link", "sub/b");
  EXPECT_EQ(Found({.pattern = "x", .path = "sub"}), "b:1!x\ndeep/a:1!x");
  EXPECT_EQ(Found({.pattern = "x", .path = scratch_.At("c")}), "c:1!x");
  EXPECT_EQ(Found({.pattern = "x", .path = "link"}), "link:1!x");
  const absl::StatusOr<GrepOutput> file = Grep({.pattern = "x", .path = "sub/b", .glob = "*.cc"});
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(Text(*file), "b:1!x");
  EXPECT_EQ(file->root, scratch_.At("sub"));
}

TEST_F(GrepTest, DollarIsBeforeCrlf) {
  scratch_.Write("a", "x\r\ny\r\n");
  EXPECT_EQ(Found({.pattern = "x$"}), "a:1!x");
}

TEST_F(GrepTest, HasTheModes) {
  scratch_.Write("a", "x\nx\ny\n");
  scratch_.Write("b", "x\n");
  scratch_.Write("c", "y\n");
  for (const GrepMode mode : {GrepMode::kFiles, GrepMode::kCount}) {
    const absl::StatusOr<GrepOutput> output =
        Grep({.pattern = "x", .mode = mode, .context_before = 1, .context_after = 1});
    ASSERT_THAT(output, IsOk());
    EXPECT_EQ(Text(*output), "a=2\nb=1");
    EXPECT_EQ(output->total_files, 2);
    EXPECT_EQ(output->total_matches, 3);
  }
}

TEST_F(GrepTest, AddsContext) {
  scratch_.Write("a", "1\n2\nx\n4\n5\nx\n7\n");
  EXPECT_EQ(Found({.pattern = "x", .context_before = 1, .context_after = 1}),
            "a:2 2|3!x|4 4|5 5|6!x|7 7");
  EXPECT_EQ(Found({.pattern = "x", .context_before = -5, .context_after = 2'000'000'000}),
            "a:3!x|4 4|5 5|6!x|7 7");
}

TEST_F(GrepTest, MayIgnoreCase) {
  scratch_.Write("a", "Foo\nbar\n");
  EXPECT_EQ(Found({.pattern = "foo"}), "");
  EXPECT_EQ(Found({.pattern = "foo", .case_insensitive = true}), "a:1!Foo");
}

TEST_F(GrepTest, MaySpanLines) {
  scratch_.Write("a", "begin\nmiddle\nend\nother\nbegin end\n");
  scratch_.Write("b", "begin\r\nend");
  const struct {
    const char* pattern;
    const char* found;
  } kCases[] = {
      {"begin.*?end", "a:1!begin|2!middle|3!end|5!begin end\nb:1!begin|2!end"},
      {"^end$", "a:3!end\nb:2!end"},
      {"middle\n", "a:2!middle"},
      {"middle\nend\n", "a:2!middle|3!end"},
      {"\nend", "a:2!middle|3!end\nb:1!begin|2!end"},
      {"other$", "a:4!other"},
      {"z*", "a:1!begin|2!middle|3!end|4!other|5!begin end\nb:1!begin|2!end"},
      {"(?s).*", "a:1!begin|2!middle|3!end|4!other|5!begin end\nb:1!begin|2!end"},
      {"none", ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.pattern);
    EXPECT_EQ(Found({.pattern = c.pattern, .multiline = true}), c.found);
  }
  EXPECT_EQ(Found({.pattern = "begin.*middle"}), "");
}

TEST_F(GrepTest, FiltersByGlobAndType) {
  scratch_.Write("a.cc", "x");
  scratch_.Write("sub/b.cc", "x");
  scratch_.Write("sub/c.py", "x");
  scratch_.Write("skip/d.cc", "x");
  EXPECT_EQ(Found({.pattern = "x", .glob = "*.py"}), "sub/c.py:1!x");
  EXPECT_EQ(Found({.pattern = "x", .glob = "sub/*.{cc,h}"}), "sub/b.cc:1!x");
  EXPECT_EQ(Found({.pattern = "x", .glob = "!sub"}), "a.cc:1!x\nskip/d.cc:1!x");
  EXPECT_EQ(Found({.pattern = "x", .type = "py"}), "sub/c.py:1!x");
  EXPECT_EQ(Found({.pattern = "x", .path = "sub", .glob = "sub/b*"}), "b.cc:1!x");
}

TEST_F(GrepTest, FindsNamesWithoutAPattern) {
  scratch_.Write("a.cc", "");
  scratch_.Write("sub/b.cc", std::string(100, '\0'));
  scratch_.Write("c.py", "");
  scratch_.MakeLink("link.cc", "a.cc");
  const absl::StatusOr<GrepOutput> output = Grep({.glob = "**/*.cc", .mode = GrepMode::kFiles});
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(Text(*output), "a.cc=0\nsub/b.cc=0");
  EXPECT_EQ(output->total_files, 2);
  EXPECT_EQ(output->total_matches, 0);
  EXPECT_EQ(Found({.type = "python"}), "c.py=0");
}

TEST_F(GrepTest, ShowsThePageThatIsAskedFor) {
  scratch_.Write("a", "x1\nx2\n");
  scratch_.Write("b", "x3\nx4\n");
  const absl::StatusOr<GrepOutput> lines = Grep({.pattern = "x", .offset = 1, .head_limit = 2});
  ASSERT_THAT(lines, IsOk());
  EXPECT_EQ(Text(*lines), "a:2!x2\nb:1!x3");
  EXPECT_EQ(lines->total_files, 2);
  EXPECT_EQ(lines->total_matches, 4);
  EXPECT_EQ(lines->offset_applied, 1);
  EXPECT_EQ(lines->head_limit_applied, 2);
  EXPECT_FALSE(lines->truncated);
  EXPECT_EQ(Found({.pattern = "x", .offset = 2}), "b:1!x3|2!x4");
  EXPECT_EQ(Found({.pattern = "x", .mode = GrepMode::kFiles, .offset = 1}), "b=2");
  EXPECT_EQ(Found({.pattern = "x", .mode = GrepMode::kCount, .head_limit = 1}), "a=2");
  EXPECT_EQ(Found({.glob = "*", .offset = 5}), "");
  // 0 and less count as not given.
  const absl::StatusOr<GrepOutput> none = Grep({.pattern = "x4", .offset = -1, .head_limit = 0});
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(Text(*none), "b:2!x4");
  EXPECT_FALSE(none->offset_applied.has_value());
  EXPECT_FALSE(none->head_limit_applied.has_value());
}

TEST_F(GrepTest, SortsAsAskedFor) {
  scratch_.Write("new", "x");
  scratch_.Write("sub/old", "x");
  scratch_.Write("mid", "x");
  scratch_.SetModified("sub/old", 1000);
  scratch_.SetModified("mid", 2000);
  scratch_.SetModified("new", 3000);
  EXPECT_EQ(Found({.glob = "*", .sort = "path"}), "mid=0\nnew=0\nsub/old=0");
  EXPECT_EQ(Found({.glob = "*", .sort_ascending = false}), "sub/old=0\nnew=0\nmid=0");
  EXPECT_EQ(Found({.glob = "*", .sort = "modified"}), "sub/old=0\nmid=0\nnew=0");
  EXPECT_EQ(Found({.pattern = "x", .sort = "modified", .sort_ascending = false}),
            "new:1!x\nmid:1!x\nsub/old:1!x");
  EXPECT_THAT(Grep({.glob = "*", .sort = "size"}), StatusIs(kInvalidArgument));
}

TEST_F(GrepTest, LeavesOutWhatIsNoTextOrIgnored) {
  scratch_.Write(".gitignore", "ignored\n");
  scratch_.Write("ignored", "x");
  scratch_.Write("sub/ignored/file", "x");
  scratch_.Write(".git/file", "x");
  scratch_.Write("binary", std::string("x\n\0", 3));
  scratch_.Write("late zero", "x" + std::string(8191, ' ') + std::string(1, '\0'));
  scratch_.MakePipe("pipe");
  scratch_.MakeLink("link", "shown");
  scratch_.Write("shown", "x");
  EXPECT_EQ(Found({.pattern = "x", .mode = GrepMode::kFiles}), "late zero=1\nshown=1");
  EXPECT_EQ(Found({.pattern = "x", .mode = GrepMode::kFiles, .multiline = true}),
            "late zero=1\nshown=1");
  // What is asked for by name is searched, ignored or not.
  EXPECT_EQ(Found({.pattern = "x", .path = "ignored"}), "ignored:1!x");
  EXPECT_EQ(Found({.pattern = "x", .path = "binary"}), "");
}

TEST_F(GrepTest, ShowsTextAsUtf8) {
  scratch_.Write("a\xFF", "x\xFFy");
  EXPECT_EQ(Found({.pattern = "x"}), "a\xEF\xBF\xBD:1!x\xEF\xBF\xBDy");
}

TEST_F(GrepTest, CutsLongLinesAndLongAnswers) {
  options_.max_line_bytes = 4;
  options_.max_grep_lines = 3;
  scratch_.Write("a", "xabc\xC3\xA4\nx\n");
  scratch_.Write("b", "1\nx\nx\n");
  const absl::StatusOr<GrepOutput> lines = Grep({.pattern = "x", .context_before = 1});
  ASSERT_THAT(lines, IsOk());
  EXPECT_EQ(Text(*lines), "a:1!xabc...|2!x\nb:1 1");
  EXPECT_TRUE(lines->truncated);
  EXPECT_EQ(lines->total_matches, 4);
  EXPECT_EQ(lines->total_files, 2);

  options_.max_grep_lines = 1;
  const absl::StatusOr<GrepOutput> files = Grep({.pattern = "x", .mode = GrepMode::kFiles});
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(Text(*files), "a=2");
  EXPECT_TRUE(files->truncated);
  EXPECT_EQ(files->total_files, 2);
}

TEST_F(GrepTest, SearchesTheStartOfWhatIsTooLong) {
  const std::string long_line(kMaxSearchedLineBytes, ' ');
  scratch_.Write("line", "x" + long_line + "y\nz\n");
  const absl::StatusOr<GrepOutput> line = Grep({.pattern = "[xyz]"});
  ASSERT_THAT(line, IsOk());
  EXPECT_EQ(line->total_matches, 2);
  EXPECT_TRUE(line->truncated);
  EXPECT_EQ(Found({.pattern = "y"}), "");
  const std::string long_text(kMaxSearchedTextBytes, '\n');
  scratch_.Write("line", "x" + long_text + "y");
  const absl::StatusOr<GrepOutput> text = Grep({.pattern = "[xy]", .multiline = true});
  ASSERT_THAT(text, IsOk());
  EXPECT_EQ(text->total_matches, 1);
  EXPECT_TRUE(text->truncated);
}

TEST_F(GrepTest, ShowsTheMatchOfALongLine) {
  scratch_.Write("bundle.js", std::string(100'000, 'x') + "needle" + std::string(100'000, 'y'));
  for (const bool multiline : {false, true}) {
    SCOPED_TRACE(multiline);
    const absl::StatusOr<GrepOutput> output = Grep({.pattern = "needle", .multiline = multiline});
    ASSERT_THAT(output, IsOk());
    ASSERT_EQ(output->files.size(), 1U);
    const GrepLine& line = output->files[0].lines.at(0);
    EXPECT_THAT(line.text, HasSubstr("xneedley"));
    EXPECT_LE(line.text.size(), options_.max_line_bytes + 3);
    EXPECT_TRUE(line.truncated);
  }
}

TEST_F(GrepTest, SearchesTextInUtf16) {
  scratch_.Write("little", std::string("\xFF\xFE"
                                       "a\0\n\0b\0",
                                       8));
  scratch_.Write("big", std::string("\xFE\xFF\0b\0\xE4", 6));
  scratch_.Write("bytes", std::string("b\0\n\0", 4));
  EXPECT_EQ(Grep({.pattern = "b"})->total_matches, 2);
  EXPECT_EQ(Grep({.pattern = "^b$"})->files.at(0).lines.at(0).number, 2);
  EXPECT_EQ(Grep({.pattern = "b\xC3\xA4", .multiline = true})->files.at(0).path, "big");
}

TEST_F(GrepTest, SaysThatTheFolderIsGone) {
  const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path());
  ASSERT_THAT(workspace, IsOk());
  std::filesystem::remove_all(scratch_.path());
  const auto is_gone = StatusIs(kNotFound, HasSubstr("has been removed"));
  EXPECT_THAT(SearchFiles(*workspace, options_, {.pattern = "x"}, {}), is_gone);
  EXPECT_THAT(SearchFiles(*workspace, options_, {.pattern = "x", .path = "sub"}, {}), is_gone);
  EXPECT_THAT(ListTree(*workspace, options_, {}, {}), is_gone);
  EXPECT_THAT(workspace->OpenRegularFile("a"), is_gone);
}

TEST_F(GrepTest, ShowsWhatWasFoundInTime) {
  scratch_.Write("a", "x");
  options_.timeout = std::chrono::milliseconds(0);
  for (const char* sort : {"path", "modified"}) {
    const absl::StatusOr<GrepOutput> output = Grep({.pattern = "x", .sort = sort});
    ASSERT_THAT(output, IsOk());
    EXPECT_EQ(Text(*output), "");
    EXPECT_TRUE(output->truncated);
  }
}

TEST_F(GrepTest, StopsWhenTold) {
  // Takes minutes to search; the zero bytes do not make it binary, so far after its start.
  scratch_.Write("huge", std::string(10'000, ' '));
  ASSERT_EQ(::truncate(scratch_.At("huge").c_str(), int64_t{1} << 40), 0);
  options_.timeout = std::chrono::hours(1);
  std::stop_source before;
  before.request_stop();
  EXPECT_THAT(Grep({.pattern = "x"}, before.get_token()), StatusIs(kCancelled));
  std::stop_source during;
  std::thread stopper([&] { during.request_stop(); });
  EXPECT_THAT(Grep({.pattern = "x"}, during.get_token()), StatusIs(kCancelled));
  stopper.join();
}

TEST_F(GrepTest, SaysWhatIsWrong) {
  EXPECT_THAT(Grep({.pattern = "a("}), StatusIs(kInvalidArgument, HasSubstr("missing )")));
  EXPECT_THAT(Grep({.pattern = "a", .glob = "[a"}), StatusIs(kInvalidArgument, HasSubstr("glob")));
  EXPECT_THAT(Grep({.pattern = "a", .type = "klingon"}),
              StatusIs(kInvalidArgument, HasSubstr("glob")));
  EXPECT_THAT(Grep({}), StatusIs(kInvalidArgument, HasSubstr("pattern")));
  EXPECT_THAT(Grep({.pattern = "a", .path = "none"}), StatusIs(kNotFound));
  EXPECT_THAT(Grep({.pattern = "a", .path = "../x"}), StatusIs(kPermissionDenied));
  scratch_.MakePipe("pipe");
  EXPECT_THAT(Grep({.pattern = "a", .path = "pipe"}), StatusIs(kInvalidArgument));
}

TEST_F(GrepTest, SortsFilesOfTheFarFutureLast) {
  scratch_.Write("far", "x");
  scratch_.Write("now", "x");
  scratch_.SetModified("far", 10'000'000'000);  // more nanoseconds than 64 bits have
  EXPECT_EQ(Found({.glob = "*", .sort = "modified"}), "now=0\nfar=0");
}

}  // namespace
}  // namespace cursorwire::workspace
