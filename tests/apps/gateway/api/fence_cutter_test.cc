#include "api/fence_cutter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace cursor_gateway {
namespace {

std::string Cut(std::string_view text, size_t size, bool cuts = true) {
  FenceCutter cutter(cuts);
  std::string sent;
  for (size_t at = 0; at < text.size(); at += size) sent += cutter.Feed(text.substr(at, size));
  return sent + cutter.Finish();
}

TEST(FenceCutter, TakesAFenceOffThatIsAroundAll) {
  struct Case {
    const char* name;
    std::string text;
    std::string sent;
  };
  const Case cases[] = {
      {"fence", "```json\n{\"a\":1}\n```", "{\"a\":1}"},
      {"without a word", "```\n[1]\n```", "[1]"},
      {"with blanks", "\n  ```JSON \r\n{\r\n  \"a\": 1\r\n}\r\n ```\n\n", "{\r\n  \"a\": 1\r\n}"},
      {"four ticks", "````json\n{\"a\":\"```\"}\n````", "{\"a\":\"```\"}"},
      {"ticks within a line", "```json\n{\"a\":\"\\n```\"}\n```", "{\"a\":\"\\n```\"}"},
      {"lines of ticks within", "```\na\n```\nb\n```\n", "a\n```\nb"},
      {"nothing within", "```json\n```", ""},
      {"never closed", "```json\n{\"a\":1}\n", "{\"a\":1}\n"},
      {"fewer ticks at the end", "```json\n{}\n``", "{}\n``"},
      {"text after", "```json\n{}\n```\nThere it is.", "{}\n```\nThere it is."},
      {"no fence", "{\"a\": \"```json\\n\"}\n", "{\"a\": \"```json\\n\"}\n"},
      {"text before", "Here:\n```json\n{}\n```", "Here:\n```json\n{}\n```"},
      {"inline code", "```{\"a\":1}```", "```{\"a\":1}```"},
      {"two ticks", "``json\n{}\n``", "``json\n{}\n``"},
      {"blanks alone", " \n\n ", " \n\n "},
      {"ticks alone", "``", "``"},
      {"empty", "", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    for (size_t size = 1; size <= c.text.size() + 1; ++size) {
      EXPECT_EQ(Cut(c.text, size), c.sent) << size;
      EXPECT_EQ(Cut(c.text, size, /*cuts=*/false), c.text) << size;
    }
  }
}

TEST(FenceCutter, HoldsBackNoMoreThanAFence) {
  FenceCutter cutter(true);
  EXPECT_EQ(cutter.Feed("```json\n{\"a\":"), "{\"a\":");
  EXPECT_EQ(cutter.Feed(" 1}\n``"), " 1}");
  EXPECT_EQ(cutter.Feed("` x"), "\n``` x");
  const std::string blanks(FenceCutter::kMaxFenceBytes + 1, ' ');
  EXPECT_EQ(cutter.Feed(blanks), blanks);
  FenceCutter other(true);
  EXPECT_EQ(other.Feed(blanks), blanks);
  EXPECT_EQ(other.Feed("```json\n{}\n```"), "```json\n{}\n```");
}

}  // namespace
}  // namespace cursor_gateway
