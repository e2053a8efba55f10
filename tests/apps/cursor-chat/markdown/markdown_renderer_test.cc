#include "markdown/markdown_renderer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "apps/cursor-chat/markdown/documents.h"
#include "apps/cursor-chat/markdown/screen.h"
#include "markdown/markdown_block.h"

namespace cursor_chat {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using markdown::Screen;

std::string Rendered(std::string_view text, const MarkdownStyle& style) {
  MarkdownRenderer renderer(style);
  std::string bytes = renderer.Add(text);
  Screen screen(style.columns, style.rows);
  screen.Write(bytes);
  screen.Write(renderer.Finish());
  EXPECT_EQ(screen.faults(), "");
  return screen.PaintedText();
}

std::string Plain(std::string_view text, size_t columns = 40) {
  return Rendered(text, {.columns = columns, .colors = Colors::kNone});
}

std::string Painted(std::string_view text) { return Rendered(text, {}); }

TEST(MarkdownRenderer, ShowsEachConstructWithoutColours) {
  const struct {
    const char* name;
    const char* text;
    const char* shown;
  } cases[] = {
      {"nothing", "", ""},
      {"paragraphs", "one\ntwo\n\nthree", "one\ntwo\n\nthree\n"},
      {"marked line breaks", "one  \ntwo\\\nthree", "one\ntwo\nthree\n"},
      {"headings", "# A *b*\ntext\n### C", "# A b\n\ntext\n\n### C\n"},
      {"underlined heading", "A\n---\nb", "## A\n\nb\n"},
      {"emphasis", "*a* **b** ***c*** ~~d~~ `e*` \\*", "a b c ~~d~~ `e*` *\n"},
      {"bullets", "- a\n- b\n  c\n  - d\n* e", "• a\n• b\n  c\n  • d\n• e\n"},
      {"loose list", "- a\n\n- b\n\n  c", "• a\n\n• b\n\n  c\n"},
      {"numbers", "3. a\n3. b\n   1) c\n   2) d", "3. a\n4. b\n   1. c\n   2. d\n"},
      {"tasks", "- [ ] a\n- [x] b\n1. [X] c", "[ ] a\n[x] b\n1. [x] c\n"},
      {"bullets below a number, indented by two", "1. a\n  - b\n2. c", "1. a\n  • b\n2. c\n"},
      {"quote", "> a\n> b\n>\n> - c\n> > d", "│ a\n│ b\n│\n│ • c\n│\n│ │ d\n"},
      {"rule", "a\n\n***", "a\n\n───────────────────────────────────────\n"},
      {"code", "a\n```py\nx = 1\n\n  y\n```\nb", "a\n\n  x = 1\n\n    y\n\nb\n"},
      {"code in a list", "- a\n  ```\n  x\n  ```", "• a\n    x\n"},
      {"indented code", "a\n\n    b\n      c", "a\n\n  b\n    c\n"},
      {"table", "| a | bb | c |\n|:--|--:|:-:|\n| 1 | 2 | 345 |",
       "a │ bb │  c\n──┼────┼────\n1 │  2 │ 345\n"},
      {"ragged table", "a|b\n-|-\n1\n2|3|4", "a │ b\n──┼──\n1 │\n2 │ 3\n"},
      {"head of a table", "a|b\n-|-", "a │ b\n──┼──\n"},
      {"link", "[a](http://b) <http://c> [http://d](http://d) [e](mailto:e)",
       "a (http://b) http://c http://d e\n"},
      {"link without an address", "[a]()", "a\n"},
      {"definition of a link", "[a][1]\n\n[1]: http://b", "[a][1]\n\n[1]: http://b\n"},
      {"image", "![a *b*](c.png) ![](d)", "[image: a b] (c.png) [image: ] (d)\n"},
      {"HTML", "<b>a</b><!-- c -->\n\n<div>\nx", "<b>a</b><!-- c -->\n\n<div>\nx\n"},
      {"entities", "&lt;&#65;&#x1F600;&unknown;&nbsp;x &#0;",
       "<A\xF0\x9F\x98\x80&unknown;\xC2\xA0x \xEF\xBF\xBD\n"},
      {"no closing fence", "```\nx", "  x\n"},
      {"carriage returns", "a\r\nb\r\n\r\nc\r\n", "a\nb\n\nc\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Plain(c.text), c.shown);
  }
}

TEST(MarkdownRenderer, PaintsEachConstruct) {
  const struct {
    const char* name;
    const char* text;
    const char* shown;
  } cases[] = {
      {"first heading", "# A", "\x1b[1;4;35mA\x1b[0m\n"},
      {"second heading", "## A", "\x1b[1;35mA\x1b[0m\n"},
      {"third heading", "### A", "\x1b[1;36mA\x1b[0m\n"},
      {"further heading", "#### A", "\x1b[1mA\x1b[0m\n"},
      {"emphasis", "*a* **b** ***c***", "\x1b[3ma\x1b[0m \x1b[1mb\x1b[0m \x1b[1;3mc\x1b[0m\n"},
      {"struck through", "~~a~~", "\x1b[9ma\x1b[0m\n"},
      {"inline code", "`a`", "\x1b[33ma\x1b[0m\n"},
      {"link", "[a](b)", "\x1b[4ma\x1b[0m (\x1b[36mb\x1b[0m)\n"},
      {"quote", "> a", "\x1b[2m│ \x1b[0ma\n"},
      {"table", "a|b\n-|-\n1|2",
       "\x1b[1ma\x1b[0m\x1b[2m │ \x1b[0m\x1b[1mb\x1b[0m\n\x1b[2m──┼──\x1b[0m\n1\x1b[2m │ "
       "\x1b[0m2\n"},
      {"code", "```c\nint x = 1;\n```", "  \x1b[35mint\x1b[0m x = \x1b[33m1\x1b[0m;\n"},
      {"code in an item", "- ```c\n  int\n  ```", "•   \x1b[35mint\x1b[0m\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Painted(c.text), c.shown);
  }
}

TEST(MarkdownRenderer, DrawsWithAsciiWhereTheLocaleHasNoMore) {
  const std::string text = Rendered("- a\n\n> b\n\n***\n\nc|d\n-|-\n1|2",
                                    {.columns = 20, .colors = Colors::kNone, .unicode = false});
  EXPECT_EQ(text, "- a\n\n> b\n\n-------------------\n\nc | d\n--+--\n1 | 2\n");
}

TEST(MarkdownRenderer, WrapsAtTheWidth) {
  EXPECT_EQ(Plain("one two three four five", 10), "one two\nthree\nfour five\n");
  EXPECT_EQ(Plain("- one two three", 14), "• one two\n  three\n");
  EXPECT_EQ(Plain("日本語の文", 8), "日本語\nの文\n");
  EXPECT_EQ(Plain("```\nabcdefghijklmno\n```", 12), "  abcdefghi\n  jklmno\n");
}

TEST(MarkdownRenderer, MarksRowsThatBeginAsLinesOfThisProgram) {
  const struct {
    const char* name;
    const char* source;
    const char* shown;
  } kCases[] = {
      {"an entity", "cursor&#45;chat: y", "(answer) cursor-chat: y\n"},
      {"capitals", "C&#117;rsor-Chat: y", "(answer) Cursor-Chat: y\n"},
      {"an empty link", "cursor-[](<>)chat: y", "(answer) cursor-chat: y\n"},
      {"spaces before it", "&#32;&#32;cursor&#45;chat: y", "  (answer) cursor-chat: y\n"},
      {"styles", "c*u*rs&#111;**r**-chat: y", "(answer) cursor-chat: y\n"},
      {"what has no shape", "cursor\u200B&#45;chat: y", "(answer) cursor\u200B-chat: y\n"},
      {"the end of a row", "aaaaaaaaaa bbbbbbbbbb cccccccccc ddddddd cursor-chat: y",
       "aaaaaaaaaa bbbbbbbbbb cccccccccc ddddddd\n(answer) cursor-chat: y\n"},
      {"a list", "* cursor&#45;chat: y", "• (answer) cursor-chat: y\n"},
      {"code", "```\ncursor-chat: y\n```", "  (answer) cursor-chat: y\n"},
      {"a row that gets too long", "cursor&#45;chat: 0123456789012345678901",
       "(answer) cursor-chat: 012345678901234567\n8901\n"},
      {"within a row", "a cursor&#45;chat: y", "a cursor-chat: y\n"},
      {"another word", "cursor&#45;chats: y", "cursor-chats: y\n"},
      {"marked in the source", "(answer) cursor-chat: y", "(answer) cursor-chat: y\n"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Plain(c.source, 41), c.shown);
  }
}

TEST(MarkdownRenderer, FitsTablesToTheWidth) {
  const std::string table = "name|what it does\n-|-\nfirst|some words that need a line or two\nb|c";
  EXPECT_EQ(Plain(table, 29),
            "name  │ what it does\n"
            "──────┼─────────────────────\n"
            "first │ some words that need\n"
            "      │ a line or two\n"
            "──────┼─────────────────────\n"
            "b     │ c\n");
  EXPECT_EQ(Plain(table, 12),
            "name: first\n"
            "what it\n"
            "does: some\n"
            "words that\n"
            "need a line\n"
            "or two\n"
            "───────────\n"
            "name: b\n"
            "what it\n"
            "does: c\n");
}

TEST(MarkdownRenderer, AlignsWideCharactersInTables) {
  EXPECT_EQ(Plain("名|x\n-|-\n日本語|✅\na|é"), "名     │ x\n───────┼───\n日本語 │ ✅\na      │ é\n");
}

TEST(MarkdownRenderer, ShowsAParagraphWordByWord) {
  MarkdownRenderer renderer({.colors = Colors::kNone});
  EXPECT_EQ(renderer.Add("one"), "one");
  EXPECT_EQ(renderer.Add(" two"), " two");
  EXPECT_EQ(renderer.Add("\n\nthree"), "\n\nthree");
  EXPECT_EQ(renderer.Finish(), "\n");
}

TEST(MarkdownRenderer, ShowsStrongTextAndCodeBeforeTheirEnd) {
  MarkdownRenderer renderer({});
  EXPECT_EQ(renderer.Add("a **b"), "a \x1b[1mb\x1b[0m");
  Screen screen(80, 24);
  MarkdownRenderer other({.colors = Colors::kNone});
  for (const char* piece : {"x `y", "`", " **z", "*", "*"}) screen.Write(other.Add(piece));
  EXPECT_EQ(screen.Text(), "x `y` z\n");
}

TEST(MarkdownRenderer, WaitsUntilItKnowsWhatALineIs) {
  MarkdownRenderer renderer({.colors = Colors::kNone});
  for (const char* piece : {"#", "#", " "}) EXPECT_EQ(renderer.Add(piece), "");
  EXPECT_EQ(renderer.Add("A"), "## A");
  EXPECT_EQ(renderer.Add("\n`"), "\n");
  EXPECT_EQ(renderer.Add("``"), "");
  EXPECT_EQ(renderer.Add("\n"), "");
}

TEST(MarkdownRenderer, WaitsForTheRestOfACharacter) {
  MarkdownRenderer renderer({});
  EXPECT_EQ(renderer.Add("a\xE2\x82"), "a");
  EXPECT_EQ(renderer.Add("\xAC"), "\r\x1b[Ka\xE2\x82\xAC");
  EXPECT_EQ(renderer.Add("\xE2"), "");
  EXPECT_EQ(renderer.Finish(), "<0xE2>\n");
}

TEST(MarkdownRenderer, BeginsAnewAfterFinish) {
  MarkdownRenderer renderer({.colors = Colors::kNone});
  EXPECT_EQ(renderer.Finish(), "");
  EXPECT_EQ(renderer.Add("```\nx"), "  x");
  EXPECT_EQ(renderer.Finish(), "\n");
  EXPECT_EQ(renderer.Add("# y"), "# y");
  EXPECT_EQ(renderer.Finish(), "\n");
  renderer.Resize(40, 10);
  EXPECT_EQ(renderer.Finish(), "");
  EXPECT_EQ(renderer.Add("# z\n"), "# z\n");
  EXPECT_EQ(renderer.Finish(), "");
}

TEST(MarkdownRenderer, MakesControlCharactersVisibleEverywhere) {
  const std::string evil = "\x1b]0;x\x07";
  const std::string entity = "&#27;&#x9b;&#7;";
  for (const std::string& text :
       {evil, "# " + evil, "- " + evil, "> " + evil, "`" + evil + "`", "**" + evil + "**",
        "[" + evil + "](" + evil + ")", "![" + evil + "](http://" + evil + ")",
        "```" + evil + "\n" + evil + "\n```", "```c\n\"" + evil + "\n```",
        "a|" + evil + "\n-|-\n" + evil, "    " + evil, entity, "[" + entity + "](" + entity + ")",
        "<" + evil + ">", "```" + entity + "\nx\n```"}) {
    SCOPED_TRACE(text);
    const std::string shown = Plain(text, 200);
    const bool control = std::any_of(shown.begin(), shown.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
    });
    EXPECT_FALSE(control);
    EXPECT_THAT(shown, Not(HasSubstr("\xC2\x9B")));
  }
  EXPECT_EQ(Plain("\x1b[2J"), "<U+001B>[2J\n");
  EXPECT_EQ(Plain("&#27;[2J"), "<U+001B>[2J\n");
}

TEST(MarkdownRenderer, HasNoColoursIfNoneAreWanted) {
  for (const markdown::Document& document : markdown::kDocuments) {
    SCOPED_TRACE(document.name);
    const std::string shown = Rendered(document.text, {.colors = Colors::kNone});
    EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
  }
}

TEST(MarkdownRenderer, ShowsTheEndOfABlockThatIsTallerThanTheScreen) {
  MarkdownRenderer renderer({.columns = 20, .rows = 4, .colors = Colors::kNone});
  Screen screen(20, 4);
  screen.Write(renderer.Add("# A\n- a\n  - b\n  - c\n  - d\n  - e"));
  EXPECT_EQ(screen.Text(), "# A\n  • c\n  • d\n  • e\n");
  screen.Write(renderer.Add("\n\nB"));
  EXPECT_EQ(screen.Text(), "# A\n\n• a\n  • b\n  • c\n  • d\n  • e\n\nB\n");
  EXPECT_EQ(screen.faults(), "");
}

TEST(MarkdownRenderer, FollowsTheSizeOfTheTerminal) {
  MarkdownRenderer renderer({.columns = 40, .rows = 10, .colors = Colors::kNone});
  Screen screen(40, 10);
  screen.Write(renderer.Add("settled\n\none two three four"));
  renderer.Resize(80, 24);
  screen.Resize(80, 24);
  screen.Write(renderer.Add(" five six seven eight nine ten"));
  EXPECT_EQ(screen.Text(), "settled\n\none two three four five six seven eight nine ten\n");
  renderer.Resize(60, 12);
  screen.Resize(60, 12);
  screen.Write(renderer.Finish());
  EXPECT_EQ(screen.Text(), "settled\n\none two three four five six seven eight nine ten\n");
  EXPECT_EQ(screen.faults(), "");
}

TEST(MarkdownRenderer, LosesNothingOnANarrowerTerminal) {
  MarkdownRenderer renderer({.columns = 40, .rows = 10, .colors = Colors::kNone});
  Screen screen(40, 10);
  screen.Write(renderer.Add("settled\n\none two three four"));
  renderer.Resize(10, 3);
  screen.Resize(10, 3);
  screen.Write(renderer.Add(" five"));
  screen.Write(renderer.Finish());
  EXPECT_THAT(screen.Text(), StartsWith("settled\n"));
  EXPECT_THAT(screen.Text(), HasSubstr("one two\nthree\nfour five\n"));
  EXPECT_EQ(screen.faults(), "");
}

TEST(MarkdownRenderer, ShowsATableOfTooManyCellsAsItIs) {
  constexpr size_t kColumns = 60;
  std::string text;
  for (size_t i = 0; i < kColumns; ++i) text += "a|";
  text += "\n";
  for (size_t i = 0; i < kColumns; ++i) text += "---|";
  text += "\n";
  for (size_t i = 0; i <= markdown::kMaxTableCells / kColumns; ++i) text += "|\n";
  const std::string shown = Plain(text, 80);
  EXPECT_TRUE(shown.starts_with("a|a|a|")) << shown.substr(0, 80);
}

TEST(MarkdownRenderer, BoundsNestingAndWhatItWrites) {
  for (const std::string& text : {std::string(4000, '>') + "x", std::string(4000, '['),
                                  std::string(4000, '*') + "a" + std::string(4000, '*')}) {
    MarkdownRenderer renderer({});
    EXPECT_LT(renderer.Add(text).size() + renderer.Finish().size(), 100'000u);
  }
}

}  // namespace
}  // namespace cursor_chat
