#include "workspace/search/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "workspace/fs/workspace.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::IsOkAndHolds;
using test::ScratchFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::chrono::hours kNoTimeLimit{1};
constexpr size_t kBlock = size_t{64} * 1024;

class LineReaderTest : public testing::Test {
 protected:
  OpenFile Open(std::string_view content) {
    scratch_.Write("file", content);
    const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path());
    absl::StatusOr<OpenFile> file = workspace->OpenRegularFile("file");
    EXPECT_THAT(file, IsOk());
    return *std::move(file);
  }

  // "|" after a line that was cut.
  std::vector<std::string> Lines(std::string_view content, size_t max_line_bytes) {
    const OpenFile file = Open(content);
    LineReader reader(file, limit_, max_line_bytes);
    std::vector<std::string> lines;
    for (;;) {
      const absl::StatusOr<std::optional<LineReader::Line>> line = reader.Next();
      EXPECT_THAT(line, IsOk());
      if (!line.ok() || !line->has_value()) return lines;
      lines.push_back(std::string((*line)->bytes) + ((*line)->cut ? "|" : ""));
    }
  }

  ScratchFolder scratch_;
  const WorkLimit limit_{std::stop_token(), kNoTimeLimit};
};

TEST_F(LineReaderTest, CutsAtNewlinesAndKeepsThem) {
  EXPECT_THAT(Lines("", 10), IsEmpty());
  EXPECT_THAT(Lines("a", 10), ElementsAre("a"));
  EXPECT_THAT(Lines("a\n", 10), ElementsAre("a\n"));
  EXPECT_THAT(Lines("a\r\n\n\nb", 10), ElementsAre("a\r\n", "\n", "\n", "b"));
}

TEST_F(LineReaderTest, CutsLongLines) {
  EXPECT_THAT(Lines("abc\nd", 4), ElementsAre("abc\n", "d"));
  EXPECT_THAT(Lines("abcd\ne", 4), ElementsAre("abcd|", "e"));
  EXPECT_THAT(Lines("abcde\nf", 4), ElementsAre("abcd|", "f"));
  EXPECT_THAT(Lines("abcd", 4), ElementsAre("abcd"));
  EXPECT_THAT(Lines("abcde", 4), ElementsAre("abcd|"));
}

TEST_F(LineReaderTest, ReadsLinesOverTheEndsOfBlocks) {
  for (const size_t size : {kBlock - 1, kBlock, kBlock + 1, 3 * kBlock}) {
    SCOPED_TRACE(size);
    const std::string line(size - 1, 'x');
    EXPECT_THAT(Lines(line + "\nb\n", 10 * kBlock), ElementsAre(line + "\n", "b\n"));
    EXPECT_THAT(Lines(line + "\nb", 2), ElementsAre("xx|", "b"));
  }
}

TEST_F(LineReaderTest, CountsWhatWasNotReturned) {
  const struct {
    std::string_view content;
    int64_t lines;
  } kCases[] = {{"", 0}, {"a", 1}, {"a\n", 1}, {"a\nb", 2}, {"\n\n", 2}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.content);
    const OpenFile file = Open(c.content);
    EXPECT_THAT(LineReader(file, limit_, 10).CountRest(), IsOkAndHolds(c.lines));
  }
  const OpenFile file = Open("a\nbcd\nc" + std::string(2 * kBlock, '\n') + "end");
  LineReader reader(file, limit_, 2);
  EXPECT_THAT(reader.Next(), IsOk());
  EXPECT_THAT(reader.Next(), IsOk());  // it is cut, and counts as one
  EXPECT_THAT(reader.CountRest(), IsOkAndHolds(static_cast<int64_t>(2 * kBlock + 1)));
  EXPECT_FALSE(reader.interrupted());
}

TEST_F(LineReaderTest, EndsWhenTheLimitIsOver) {
  const OpenFile file = Open("a\n");
  const WorkLimit over(std::stop_token(), std::chrono::milliseconds(0));
  LineReader reader(file, over, 10);
  const absl::StatusOr<std::optional<LineReader::Line>> line = reader.Next();
  ASSERT_THAT(line, IsOk());
  EXPECT_FALSE(line->has_value());
  EXPECT_TRUE(reader.interrupted());
}

}  // namespace
}  // namespace cursorwire::workspace
