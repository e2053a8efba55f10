#include "agent/history/long_text.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::agent {
namespace {

constexpr size_t kPiece = size_t{64} * 1024;  // the first one; the next ones are larger

TEST(LongText, IsEmptyAtFirst) {
  LongText text;
  text.Append("");
  EXPECT_EQ(text.size(), 0u);
  EXPECT_EQ(text.Since(0), "");
}

// Across the ends of pieces, by parts of each kind of size.
TEST(LongText, IsWhatWasAppended) {
  for (const size_t size : {size_t{1}, size_t{7}, size_t{1000}, kPiece - 1, kPiece, kPiece + 1,
                            3 * kPiece, 5 * kPiece / 2}) {
    LongText text;
    std::string all;
    const size_t parts = size == 1 ? kPiece + 3 : 50 * kPiece / size + 2;
    for (size_t i = 0; i < parts; ++i) {
      const std::string part(size, static_cast<char>('a' + i % 26));
      text.Append(part);
      all += part;
    }
    ASSERT_EQ(text.size(), all.size()) << size;
    for (const size_t first : {size_t{0}, size_t{1}, kPiece - 1, kPiece, kPiece + 1, all.size() / 2,
                               all.size() - 1, all.size()}) {
      EXPECT_TRUE(text.Since(first) == all.substr(first)) << size << " since " << first;
    }
  }
}

}  // namespace
}  // namespace cursorwire::agent
