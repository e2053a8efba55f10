#include "output/line_ends.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace cursor_chat {
namespace {

TEST(LineEnds, LoseTheReturnBeforeANewlineWhereverTheTextIsCut) {
  const struct {
    std::string_view text, shown;
  } cases[] = {
      {"one\r\ntwo\r\n", "one\ntwo\n"},
      {"a\rb", "a\rb"},
      {"a\r\r\nb", "a\r\nb"},
      {"\n\r\n", "\n\n"},
      {"end\r", "end"},
      {"", ""},
  };
  for (const auto& c : cases) {
    for (size_t piece = 1; piece <= c.text.size() + 1; ++piece) {
      LineEnds ends;
      std::string shown;
      for (size_t at = 0; at < c.text.size(); at += piece)
        shown += ends.Add(c.text.substr(at, piece));
      ends.Finish();
      EXPECT_EQ(shown, c.shown) << "in pieces of " << piece;
      EXPECT_EQ(ends.Add("x"), "x");
    }
  }
}

}  // namespace
}  // namespace cursor_chat
