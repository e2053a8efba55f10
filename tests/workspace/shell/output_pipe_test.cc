#include "workspace/shell/output_pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "process/pipe.h"
#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class OutputPipeTest : public testing::Test {
 protected:
  OutputPipeTest() {
    absl::StatusOr<process::Pipe> pipe = process::MakePipe();
    EXPECT_THAT(pipe, IsOk());
    pipe_ = *std::move(pipe);
    process::SetNonBlocking(pipe_.read_end);
  }

  OutputPipe Make(size_t max_bytes) {
    return OutputPipe(pipe_.read_end, "stdout", max_bytes,
                      [this](std::string_view bytes) { pieces_.emplace_back(bytes); });
  }
  void Put(std::string_view bytes) {
    EXPECT_EQ(process::WriteToPipe(pipe_.write_end, bytes.data(), bytes.size()),
              static_cast<ptrdiff_t>(bytes.size()));
  }

  process::Pipe pipe_;
  std::vector<std::string> pieces_;
};

TEST_F(OutputPipeTest, PassesOnWhatComes) {
  OutputPipe output = Make(100);
  EXPECT_FALSE(output.ReadSome());
  Put("one");
  EXPECT_TRUE(output.ReadSome());
  Put("two");
  EXPECT_TRUE(output.ReadSome());
  EXPECT_FALSE(output.at_end());
  EXPECT_EQ(output.fd(), pipe_.read_end.get());
  pipe_.write_end = FileDescriptor();
  EXPECT_FALSE(output.ReadSome());
  EXPECT_TRUE(output.at_end());
  EXPECT_EQ(output.fd(), -1);
  output.Finish();
  EXPECT_THAT(pieces_, ElementsAre("one", "two"));
}

TEST_F(OutputPipeTest, CutsBetweenCharacters) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";  // 1, 2, 3, 4 and 1 bytes
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    SCOPED_TRACE(cut);
    pieces_.clear();
    OutputPipe output = Make(100);
    for (const std::string& part : {text.substr(0, cut), text.substr(cut)}) {
      if (part.empty()) continue;
      Put(part);
      EXPECT_TRUE(output.ReadSome());
    }
    output.Finish();
    std::string all;
    for (const std::string& piece : pieces_) {
      all += piece;
      EXPECT_NE(static_cast<uint8_t>(piece.front()) & 0xC0, 0x80);
    }
    EXPECT_EQ(all, text);
  }
}

TEST_F(OutputPipeTest, KeepsBytesThatAreNoCharacters) {
  OutputPipe output = Make(100);
  Put("\x80\xFF\xE2");
  EXPECT_TRUE(output.ReadSome());
  EXPECT_THAT(pieces_, ElementsAre("\x80\xFF"));
  output.Finish();
  EXPECT_THAT(pieces_, ElementsAre("\x80\xFF", "\xE2"));
}

TEST_F(OutputPipeTest, ReadsOnOverItsLimitAndSaysSo) {
  const struct {
    const char* name;
    size_t max_bytes;
    std::vector<std::string> parts;
    std::string result;
  } cases[] = {
      {"just fits", 4, {"abcd"}, "abcd"},
      {"one too many", 4, {"abcde"}, "abcd\n[1 more bytes of stdout were left out]\n"},
      {"in parts", 4, {"abc", "def", "ghi"}, "abcd\n[5 more bytes of stdout were left out]\n"},
      {"within a character",
       4,
       {"abc\xE2\x82\xAC", "x"},
       "abc\n[4 more bytes of stdout were left out]\n"},
      {"nothing", 0, {"abc"}, "\n[3 more bytes of stdout were left out]\n"},
      {"nothing of nothing", 0, {}, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    pieces_.clear();
    OutputPipe output = Make(c.max_bytes);
    for (const std::string& part : c.parts) {
      Put(part);
      EXPECT_TRUE(output.ReadSome());
    }
    output.Finish();
    std::string all;
    for (const std::string& piece : pieces_) all += piece;
    EXPECT_EQ(all, c.result);
  }
}

TEST_F(OutputPipeTest, WritingWithoutAReaderIsAnErrorAndNoSignal) {
  pipe_.read_end = FileDescriptor();
  EXPECT_EQ(process::WriteToPipe(pipe_.write_end, "x", 1), -EPIPE);
  EXPECT_THAT(pieces_, IsEmpty());
}

}  // namespace
}  // namespace cursorwire::workspace
