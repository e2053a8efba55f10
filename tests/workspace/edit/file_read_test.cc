#include "workspace/edit/file_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::ScratchFolder;
using test::StatusIs;
using enum absl::StatusCode;

constexpr int64_t kHuge = int64_t{1} << 40;  // takes minutes to read

class FileReadTest : public testing::Test {
 protected:
  absl::StatusOr<ReadOutput> Read(const ReadArgs& args, std::stop_token stop = {}) const {
    const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path());
    if (!workspace.ok()) return workspace.status();
    return ReadFile({*workspace, options_, options_.policy, known_}, outputs_, args,
                    {.stop = stop});
  }

  // Reads a file of that content.
  ReadOutput ReadContent(std::string_view content, std::optional<int32_t> offset = {},
                         std::optional<uint32_t> limit = {}) const {
    scratch_.Write("file", content);
    absl::StatusOr<ReadOutput> output = Read({.path = "file", .offset = offset, .limit = limit});
    EXPECT_THAT(output, IsOk());
    return output.ok() ? *std::move(output) : ReadOutput{};
  }

  ScratchFolder scratch_;
  OutputFolder outputs_{scratch_.path()};
  LocalExecOptions options_;
  mutable KnownFiles known_;
};

TEST_F(FileReadTest, ReadsAllOfAFile) {
  const struct {
    const char* name;
    std::string content;
    bool is_text;
    int32_t lines;
  } kCases[] = {
      {"empty", "", true, 0},
      {"one line", "a\n", true, 1},
      {"no newline at the end", "a\nb", true, 2},
      {"CRLF", "a\r\nb\r\n", true, 2},
      {"empty lines", "\n\n\n", true, 3},
      {"UTF-8", "\xC3\xA4\n", true, 1},
      {"zero byte", std::string("a\0b", 3), false, 1},
      {"no UTF-8", "a\xFF\n", false, 1},
      {"half a character at the end", "a\xC3", false, 1},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const ReadOutput output = ReadContent(c.content);
    EXPECT_EQ(output.path, "file");
    EXPECT_EQ(output.content, c.content);
    EXPECT_EQ(output.is_text, c.is_text);
    EXPECT_EQ(output.total_lines, c.lines);
    EXPECT_EQ(output.file_bytes, static_cast<int64_t>(c.content.size()));
    EXPECT_FALSE(output.truncated);
    EXPECT_FALSE(output.range_applied);
  }
}

TEST_F(FileReadTest, ReadsLinesOfAFile) {
  const struct {
    std::optional<int32_t> offset;
    std::optional<uint32_t> limit;
    const char* content;
  } kCases[] = {
      {1, {}, "a\nb\r\nc"},
      {0, {}, "a\nb\r\nc"},
      {2, {}, "b\r\nc"},
      {2, 1, "b\r\n"},
      {{}, 2, "a\nb\r\n"},
      {{}, 0, "a\nb\r\nc"},
      {3, 9, "c"},
      {4, {}, ""},
      {2'000'000'000, 4'000'000'000, ""},
      {-1, {}, "c"},
      {-2, 1, "b\r\n"},
      {-3, {}, "a\nb\r\nc"},
      {-2'000'000'000, {}, "a\nb\r\nc"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::to_string(c.offset.value_or(99)) + "," +
                 std::to_string(c.limit.value_or(99)));
    const ReadOutput output = ReadContent("a\nb\r\nc", c.offset, c.limit);
    EXPECT_EQ(output.content, c.content);
    EXPECT_TRUE(output.range_applied);
    EXPECT_FALSE(output.truncated);
    EXPECT_EQ(output.total_lines, 3);
  }
  EXPECT_EQ(ReadContent("a\nb\n", -1).content, "b\n");
  EXPECT_EQ(ReadContent("", -1).content, "");
}

TEST_F(FileReadTest, CountsOnlyWhatIsAskedForAgainstTheBound) {
  options_.max_read_bytes = 4;
  const std::string content = std::string(1000, 'x') + "\nab\ncd\nef\n";
  const ReadOutput two = ReadContent(content, 2, 1);
  EXPECT_EQ(two.content, "ab\n");
  EXPECT_FALSE(two.truncated);
  EXPECT_EQ(two.total_lines, 4);
  const ReadOutput more = ReadContent(content, 2, 2);
  EXPECT_EQ(more.content, "ab\nc");
  EXPECT_TRUE(more.truncated);
  EXPECT_EQ(more.total_lines, 4);
}

TEST_F(FileReadTest, StopsAtTheBoundBetweenCharacters) {
  options_.max_read_bytes = 4;
  const struct {
    const char* name;
    std::string content;
    const char* read;
    bool truncated;
    bool is_text;
  } kCases[] = {
      {"as much as fits", "abcd", "abcd", false, true},
      {"with a newline", "abc\n", "abc\n", false, true},
      {"one more", "abcde", "abcd", true, true},
      {"only the newline is missing", "abcd\n", "abcd", true, true},
      {"the next line is empty", "abc\n\n", "abc\n", true, true},
      {"two bytes cut", "abc\xC3\xA4", "abc", true, true},
      {"three bytes cut", "ab\xE2\x82\xAC", "ab", true, true},
      {"four bytes cut", "a\xF0\x9F\x98\x80", "a", true, true},
      {"not cut", "ab\xC3\xA4z", "ab\xC3\xA4", true, true},
      {"no UTF-8", "\xFF\xFF\xFF\xC3\xA4", "\xFF\xFF\xFF\xC3", true, false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const ReadOutput output = ReadContent(c.content);
    EXPECT_EQ(output.content, c.read);
    EXPECT_EQ(output.truncated, c.truncated);
    EXPECT_EQ(output.is_text, c.is_text);
  }
}

TEST_F(FileReadTest, ReadsTheStartOfAHugeFileInTime) {
  scratch_.WriteSparse("huge", kHuge);
  options_.timeout = std::chrono::milliseconds(20);
  options_.max_read_bytes = 10;
  const absl::StatusOr<ReadOutput> start = Read({.path = "huge"});
  ASSERT_THAT(start, IsOk());
  EXPECT_EQ(start->content, std::string(10, '\0'));
  EXPECT_TRUE(start->truncated);
  EXPECT_EQ(start->file_bytes, kHuge);
  const absl::StatusOr<ReadOutput> far = Read({.path = "huge", .offset = 2});
  ASSERT_THAT(far, IsOk());
  EXPECT_EQ(far->content, "");
  EXPECT_TRUE(far->truncated);
  EXPECT_THAT(Read({.path = "huge", .offset = -1}), StatusIs(kDeadlineExceeded));
}

TEST_F(FileReadTest, ReadsUtf16AsText) {
  const ReadOutput output =
      ReadContent(std::string("\xFF\xFE"
                              "a\0\r\0\n\0\xE4\0\n\0",
                              12));
  EXPECT_EQ(output.content, "a\r\n\xC3\xA4\n");
  EXPECT_TRUE(output.is_text);
  EXPECT_EQ(output.total_lines, 2);
  EXPECT_EQ(output.file_bytes, 12);
  EXPECT_EQ(ReadContent(std::string("\xFF\xFE"
                                    "a\0\n\0b\0",
                                    8),
                        2)
                .content,
            "b");
  EXPECT_FALSE(ReadContent(std::string("a\0\n\0", 4)).is_text) << "without a mark";
  options_.max_write_bytes = 11;
  EXPECT_FALSE(ReadContent(std::string("\xFF\xFE"
                                       "a\0\r\0\n\0\xE4\0\n\0",
                                       12))
                   .is_text)
      << "too large";
}

TEST_F(FileReadTest, DoesNotCountTheLinesOfBytes) {
  options_.timeout = std::chrono::hours(1);
  scratch_.WriteSparse("huge", kHuge);
  const absl::StatusOr<ReadOutput> output = Read({.path = "huge"});
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->content.size(), options_.max_read_bytes);
  EXPECT_TRUE(output->truncated);
  EXPECT_FALSE(output->is_text);
  EXPECT_EQ(output->total_lines, 1) << "of what was read";
}

TEST_F(FileReadTest, StopsWhenTold) {
  scratch_.WriteSparse("huge", kHuge);
  options_.timeout = std::chrono::hours(1);
  std::stop_source before;
  before.request_stop();
  EXPECT_THAT(Read({.path = "huge"}, before.get_token()), StatusIs(kCancelled));
  EXPECT_THAT(Read({.path = "huge", .offset = -1}, before.get_token()), StatusIs(kCancelled));
  std::stop_source during;
  std::thread stopper([&] { during.request_stop(); });
  // Its second line is looked for as long as nobody stops that.
  EXPECT_THAT(Read({.path = "huge", .offset = 2}, during.get_token()), StatusIs(kCancelled));
  stopper.join();
}

TEST_F(FileReadTest, ReadsWhatHasNoSize) {
  const absl::StatusOr<Workspace> proc = Workspace::Open("/proc/self");
  ASSERT_THAT(proc, IsOk());
  const absl::StatusOr<ReadOutput> output =
      ReadFile({*proc, options_, options_.policy, known_}, outputs_, {.path = "status"}, {});
  ASSERT_THAT(output, IsOk());
  EXPECT_THAT(output->content, testing::StartsWith("Name:"));
  EXPECT_GT(output->total_lines, 1);
}

}  // namespace
}  // namespace cursorwire::workspace
