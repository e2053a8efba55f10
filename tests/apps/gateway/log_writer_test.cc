#include "log_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace cursor_gateway {
namespace {

using ::testing::HasSubstr;

size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

size_t LostIn(const std::string& text) {
  const std::string warning = "cursor-gateway: warning: ";
  size_t lost = 0;
  for (size_t at = text.find(warning); at != std::string::npos; at = text.find(warning, at + 1)) {
    if (text.find('\n', at) == std::string::npos) break;  // the rest is still to come
    lost += std::stoul(text.substr(at + warning.size()));
  }
  return lost;
}

class LogWriterTest : public ::testing::Test {
 protected:
  LogWriterTest() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~LogWriterTest() override {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  std::string ReadUntil(const std::string& end) {
    std::string text;
    std::array<char, 65536> bytes{};
    while (text.find(end) == std::string::npos) {
      const ssize_t count = ::read(ends_[0], bytes.data(), bytes.size());
      if (count <= 0) break;
      text.append(bytes.data(), static_cast<size_t>(count));
    }
    return text;
  }

  std::array<int, 2> ends_{};
};

TEST_F(LogWriterTest, WritesEachLineBeforeItEnds) {
  {
    LogWriter log(ends_[1]);
    log.Add("one");
    log.Add("two");
  }
  EXPECT_EQ(ReadUntil("two\n"), "one\ntwo\n");
}

TEST_F(LogWriterTest, LosesAndCountsWhatNobodyReads) {
  LogWriter log(ends_[1]);
  const std::string line(999, 'x');
  constexpr size_t kLines = 4000;  // more than the pipe and the queue take
  for (size_t i = 0; i < kLines; ++i) log.Add(line);
  // How many are lost, and how often it is told, depends on when the thread comes to write.
  std::string text;
  while (LostIn(text) + Count(text, line + "\n") < kLines) {
    const std::string more = ReadUntil("\n");
    ASSERT_FALSE(more.empty());
    text += more;
  }
  EXPECT_GT(LostIn(text), 0U);
  EXPECT_EQ(LostIn(text) + Count(text, line + "\n"), kLines);
  log.Add("later");
  EXPECT_THAT(ReadUntil("later\n"), HasSubstr("later\n"));
}

TEST_F(LogWriterTest, WaitsWhereItsDescriptorDoesNotBlock) {
  ASSERT_EQ(::fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  LogWriter log(ends_[1]);
  const std::string line(200'000, 'x');  // more than the pipe takes
  log.Add(line);
  EXPECT_EQ(ReadUntil("\n"), line + "\n");
}

}  // namespace
}  // namespace cursor_gateway
