// Whatever pieces an answer comes in, the screen ends up the same.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cursor-chat/markdown/documents.h"
#include "apps/cursor-chat/markdown/screen.h"
#include "markdown/markdown_renderer.h"

namespace cursor_chat {
namespace {

using markdown::Document;
using markdown::kDocuments;
using markdown::Screen;

struct TestSize {
  size_t columns;
  size_t rows;
};
constexpr TestSize kSizes[] = {{20, 5}, {80, 24}, {200, 60}, {2, 2}};

MarkdownStyle StyleOf(const TestSize& size) { return {.columns = size.columns, .rows = size.rows}; }

std::string Show(const std::vector<std::string_view>& pieces, const TestSize& size) {
  MarkdownRenderer renderer(StyleOf(size));
  Screen screen(size.columns, size.rows);
  for (const std::string_view piece : pieces) screen.Write(renderer.Add(piece));
  screen.Write(renderer.Finish());
  EXPECT_EQ(screen.faults(), "");
  EXPECT_TRUE(screen.at_line_start());
  return screen.PaintedText();
}

template <typename Check>
void ForEachDocument(const Check& check) {
  for (const Document& document : kDocuments) {
    for (const TestSize& size : kSizes) {
      SCOPED_TRACE(std::string(document.name) + " at " + std::to_string(size.columns));
      check(document.text, size);
    }
  }
}

TEST(MarkdownSplits, ByteByByte) {
  ForEachDocument([](std::string_view text, const TestSize& size) {
    std::vector<std::string_view> bytes;
    for (size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
    EXPECT_EQ(Show(bytes, size), Show({text}, size));
  });
}

TEST(MarkdownSplits, EachCutInTwo) {
  ForEachDocument([](std::string_view text, const TestSize& size) {
    const std::string whole = Show({text}, size);
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      EXPECT_EQ(Show({text.substr(0, cut), text.substr(cut)}, size), whole) << cut;
    }
  });
}

TEST(MarkdownSplits, RandomPieces) {
  std::mt19937 random(1);
  std::string all;
  for (const Document& document : kDocuments) all.append(document.text).append("\n\n```\n```\n\n");
  for (const TestSize& size : kSizes) {
    SCOPED_TRACE(size.columns);
    const std::string whole = Show({all}, size);
    for (int round = 0; round < 20; ++round) {
      std::vector<std::string_view> pieces;
      for (std::string_view rest = all; !rest.empty();) {
        const size_t piece = std::uniform_int_distribution<size_t>(1, 40)(random);
        pieces.push_back(rest.substr(0, piece));
        rest.remove_prefix(pieces.back().size());
      }
      EXPECT_EQ(Show(pieces, size), whole);
    }
  }
}

// While it streams, too: what is seen depends on the text so far alone.
TEST(MarkdownSplits, EachPrefixLooksTheSame) {
  ForEachDocument([](std::string_view text, const TestSize& size) {
    MarkdownRenderer renderer(StyleOf(size));
    Screen screen(size.columns, size.rows);
    for (size_t end = 1; end <= text.size(); ++end) {
      screen.Write(renderer.Add(text.substr(end - 1, 1)));
      MarkdownRenderer other(StyleOf(size));
      Screen other_screen(size.columns, size.rows);
      other_screen.Write(other.Add(text.substr(0, end)));
      ASSERT_EQ(screen.PaintedText(), other_screen.PaintedText()) << end;
    }
  });
}

// The same above the bounds of a line and of a block.
TEST(MarkdownSplits, LongLinesAndBlocks) {
  std::string words;
  for (int i = 0; i < 4000; ++i) words += "word" + std::to_string(i) + (i % 7 == 0 ? "**" : " ");
  std::string rows = "| n | name |\n|---|---|\n";
  for (int i = 0; i < 500; ++i) rows += "| " + std::to_string(i) + " | some text of a cell |\n";
  std::string items = "- first\n";
  for (int i = 0; i < 800; ++i) items += "  - item " + std::to_string(i) + "\n";
  std::string wide;
  for (int i = 0; i < 4000; ++i) wide += "\xE4\xB8\xAD";
  for (const std::string& text : {words, rows, items, wide, std::string(20000, 'x'),
                                  "```\n" + std::string(9000, 'y') + "\n```\n",
                                  std::string(5000, '>'), std::string(5000, '\n')}) {
    for (const TestSize& size : {TestSize{20, 5}, TestSize{80, 24}}) {
      SCOPED_TRACE(text.substr(0, 20));
      const std::string whole = Show({text}, size);
      for (const size_t piece : {size_t{997}, size_t{4096}}) {
        std::vector<std::string_view> pieces;
        for (size_t i = 0; i < text.size(); i += piece) {
          pieces.push_back(std::string_view(text).substr(i, piece));
        }
        EXPECT_EQ(Show(pieces, size), whole);
      }
    }
  }
}

}  // namespace
}  // namespace cursor_chat
