#include "markdown/block_splitter.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat::markdown {
namespace {

using ::testing::ElementsAre;

// Each piece as its text, after "code:" if it is code, "^" if a blank line comes before it.
std::vector<std::string> Split(std::string_view text) {
  BlockSplitter splitter;
  std::vector<SourcePiece> pieces;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    for (SourcePiece& piece : splitter.AddLine(text.substr(0, end))) pieces.push_back(piece);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  for (SourcePiece& piece : splitter.Finish()) pieces.push_back(piece);
  std::vector<std::string> shown;
  for (const SourcePiece& piece : pieces) {
    std::string one = piece.gap ? "^" : "";
    if (piece.kind == SourcePiece::Kind::kCodeLine) one += "code:";
    if (piece.starts_code) one += piece.language + ":";
    if (piece.number) one += std::to_string(*piece.number) + "=";
    shown.push_back(one + piece.text);
  }
  return shown;
}

TEST(BlockSplitter, EndsAParagraphAtABlankLine) {
  EXPECT_THAT(Split("a\nb\n\n\nc"), ElementsAre("a\nb\n", "^c\n"));
}

TEST(BlockSplitter, EndsAHeadingAndARuleAtOnce) {
  EXPECT_THAT(Split("# a\nb\n***\nc\n## d"),
              ElementsAre("# a\n", "^b\n", "^***\n", "^c\n", "^## d\n"));
}

TEST(BlockSplitter, KeepsAnUnderlinedHeadingTogether) {
  EXPECT_THAT(Split("a\n---\nb\n===\nc"), ElementsAre("a\n---\n", "^b\n===\n", "^c\n"));
}

TEST(BlockSplitter, PassesOnCodeLineByLine) {
  EXPECT_THAT(Split("a\n```c++\nx\n\n# y\n```\nb"),
              ElementsAre("a\n", "^code:c++:x", "code:", "code:# y", "^b\n"));
  EXPECT_THAT(Split("~~~~ py title\nx\n~~~\n~~~~"), ElementsAre("code:py:x", "code:~~~"));
}

TEST(BlockSplitter, TakesTheIndentOfTheFenceFromCode) {
  EXPECT_THAT(Split("  ```\n  a\n    b\n c\n  ```"), ElementsAre("code::a", "code:  b", "code:c"));
}

TEST(BlockSplitter, EndsAnItemAtTheNext) {
  EXPECT_THAT(Split("- a\n  b\n  - c\n- d\n\n- e\n\nf"),
              ElementsAre("- a\n  b\n  - c\n", "- d\n\n", "^- e\n\n", "^f\n"));
}

TEST(BlockSplitter, CountsOnInAList) {
  EXPECT_THAT(Split("1. a\n1. b\n1) c\n5) d"),
              ElementsAre("1. a\n", "2=1. b\n", "1) c\n", "2=5) d\n"));
}

TEST(BlockSplitter, KeepsCodeWithinAnItem) {
  EXPECT_THAT(Split("1. a\n\n   ```\n   - x\n\n   y\n   ```\n2. b"),
              ElementsAre("1. a\n\n   ```\n   - x\n\n   y\n   ```\n", "2=2. b\n"));
}

TEST(BlockSplitter, DoesNotTakeANumberInAParagraphForAList) {
  EXPECT_THAT(Split("in the year\n1984. It was\n- so"),
              ElementsAre("in the year\n1984. It was\n", "^- so\n"));
}

TEST(BlockSplitter, SetsQuotesApart) {
  EXPECT_THAT(Split("a\n> b\n> c\n\nd"), ElementsAre("a\n", "^> b\n> c\n", "^d\n"));
}

TEST(BlockSplitter, ShowsDefinitionsOfLinks) {
  EXPECT_THAT(Split("[a]: http://b"), ElementsAre("\\[a]: http://b\n"));
}

TEST(BlockSplitter, CutsABlockThatIsTooLong) {
  const std::string line(kMaxBlockBytes / 2 + 1, 'x');
  EXPECT_THAT(Split(line + "\n" + line + "\n\n- " + line + "\n  " + line),
              ElementsAre(line + "\n", line + "\n", "^- " + line + "\n", line + "\n"));
}

TEST(BlockSplitter, RepeatsTheHeadOfATableThatIsTooLong) {
  const std::string head = "a | b\n---|---\n";
  const std::string row = std::string(kMaxBlockBytes / 2, 'x') + " | y\n";
  EXPECT_THAT(Split(head + row + row), ElementsAre(head + row, head + row));
}

TEST(BlockSplitter, ContinuesCodeInAnItemThatIsTooLong) {
  const std::string line(kMaxBlockBytes / 2, 'x');
  EXPECT_THAT(Split("- a\n  ~~~ c\n  " + line + "\n  " + line + "\n  ~~~\n"),
              ElementsAre("- a\n  ~~~ c\n  " + line + "\n", "~~~c\n" + line + "\n~~~\n"));
}

TEST(BlockSplitter, SeesFromTheStartOfALineThatAnItemIsOver) {
  const struct {
    const char* text;
    const char* start;
    size_t pieces;
  } cases[] = {
      {"- a", "b", 0},   {"- a", "- b", 1}, {"- a", "-", 0},     {"- a", "  - b", 0},
      {"- a\n", "b", 1}, {"- a\n", "1", 0}, {"- a\n", "  b", 0}, {"a", "- b", 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.text) + "|" + c.start);
    BlockSplitter splitter;
    for (std::string_view rest = c.text; !rest.empty();) {
      const size_t end = rest.find('\n');
      EXPECT_TRUE(splitter.AddLine(rest.substr(0, end)).empty());
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
      if (rest.empty() && end != rest.npos) splitter.AddLine("");
    }
    EXPECT_EQ(splitter.AddStart(c.start).size(), c.pieces);
  }
}

}  // namespace
}  // namespace cursor_chat::markdown
