#include "documents/text_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "support/for_each_split.h"

namespace cursorwire::documents {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Describe(const DocumentMetadata& metadata) {
  if (std::holds_alternative<TextMetadata>(metadata)) return "text";
  if (const auto* reference = std::get_if<CodeReferenceMetadata>(&metadata)) {
    return "lines " + std::to_string(reference->start_line) + " to " +
           std::to_string(reference->end_line) + " of " + reference->file_path + " (" +
           reference->language + ")";
  }
  const auto& code = std::get<CodeBlockMetadata>(metadata);
  return "code (" + code.language + (code.file_path.empty() ? "" : ", " + code.file_path) + ")";
}

// The documents of a text, each as "type|content".
class Collector {
 public:
  void Add(const std::vector<TextPart>& parts) {
    for (const TextPart& part : parts) {
      if (const auto* start = std::get_if<PartStart>(&part)) {
        EXPECT_FALSE(open_) << "a part within a part";
        open_ = true;
        documents_.push_back(Describe(start->metadata) + "|");
      } else if (const auto* content = std::get_if<PartContent>(&part)) {
        EXPECT_TRUE(open_) << "content outside of a part";
        EXPECT_FALSE(content->text.empty());
        EXPECT_TRUE(IsUtf8(content->text)) << "a piece ends within a character";
        documents_.back() += content->text;
      } else {
        EXPECT_TRUE(open_) << "the end of nothing";
        open_ = false;
      }
    }
  }
  const std::vector<std::string>& documents() const {
    EXPECT_FALSE(open_) << "a part has no end";
    return documents_;
  }

 private:
  bool open_ = false;
  std::vector<std::string> documents_;
};

template <typename Pieces>
std::vector<std::string> ParseIn(const Pieces& pieces) {
  TextParser parser(TextFormat::kMarkdown, AgentMode::kAgent);
  Collector collector;
  for (const std::string_view piece : pieces) {
    std::vector<TextPart> parts;
    parser.Add(piece, parts);
    collector.Add(parts);
  }
  std::vector<TextPart> parts;
  parser.End(parts);
  collector.Add(parts);
  EXPECT_EQ(parser.held_bytes(), 0U);
  return collector.documents();
}

std::vector<std::string> Parse(std::string_view text) { return ParseIn(std::vector{text}); }

struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> documents;
};

const Case kCases[] = {
    {"nothing", "", {}},
    {"blank lines alone", " \n\t\r\n\n  ", {}},
    {"one line", "Hello", {"text|Hello"}},
    {"no blank lines at the borders", "\n \n  Hello\nworld  \n\n \n", {"text|  Hello\nworld  "}},
    {"blank lines within", "a\n\n \nb", {"text|a\n\n \nb"}},
    {"carriage returns stay as they came",
     "\r\na\r\n\r\nb\rc\r\r\nd\r\n",
     {"text|a\r\n\r\nb\rc\r\r\nd"}},
    {"a character of four bytes",
     "\xF0\x9F\x98\x80 \xC3\xA9\xE2\x82\xAC",
     {"text|\xF0\x9F\x98\x80 \xC3\xA9\xE2\x82\xAC"}},
    {"bytes that are not UTF-8", "a\xFF\xE2\x82", {"text|a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}},

    {"code with a tag",
     "Look:\n\n```cpp\nint x;\n```\n\nDone.\n",
     {"text|Look:", "code (cpp)|int x;", "text|Done."}},
    {"code without a tag", "```\nx\n```", {"code ()|x"}},
    {"empty code", "```py\n```\n", {"code (py)|"}},
    {"one blank line of code", "```\n\n```\n", {"code ()|"}},
    {"blank lines of code", "```\n\na\n\n\n```\n", {"code ()|\na\n\n"}},
    {"code with carriage returns",
     "```py\r\na\r\n\r\nb\r\n```\r\nc\r\n",
     {"code (py)|a\r\n\r\nb", "text|c"}},
    {"a lone carriage return in code", "```\n\ra\rb\n```", {"code ()|\ra\rb"}},
    {"tildes", "~~~rust\nfn f() {}\n~~~", {"code (rust)|fn f() {}"}},
    {"tildes with backticks after", "~~~ a`b\nx\n~~~", {"code (a`b)|x"}},
    {"two in a row", "```a\n1\n```\n```b\n2\n```", {"code (a)|1", "code (b)|2"}},
    {"the tag is the first word", "```  rust,ignore title=x\nx\n```", {"code (rust)|x"}},
    {"a tag in braces", "```{.python .wide}\nx\n```", {"code (python)|x"}},
    {"a tag in braces with options", "```{r, echo=FALSE}\nx\n```", {"code (r)|x"}},
    {"empty braces", "```{}\nx\n```", {"code ()|x"}},
    {"a tag with braces", "```rust{1,3}\nx\n```", {"code (rust)|x"}},
    {"a tag with a file", "```cpp:src/main.cc\nx\n```", {"code (cpp, src/main.cc)|x"}},
    {"a tag with a file and lines", "```py:a.py:3-4\nx\n```", {"code (py, a.py)|x"}},
    {"a tag with what is no file", "```py:3\nx\n```", {"code (py)|x"}},
    {"a file for a tag", "```src/main.py\nx\n```", {"code (python, src/main.py)|x"}},
    {"a file without a folder", "```main.rs title\nx\n```", {"code (rust, main.rs)|x"}},
    {"a file with lines", "```src/a.ts:10-20\nx\n```", {"code (typescript, src/a.ts)|x"}},
    {"a file with an anchor", "```a.go#L3\nx\n```", {"code (go, a.go)|x"}},
    {"a file of Windows for a tag", "```C:\\b\\x.cpp\nx\n```", {"code (cpp, C:\\b\\x.cpp)|x"}},
    {"a file by its name", "```build/Makefile\nx\n```", {"code (makefile, build/Makefile)|x"}},
    {"a file of an unknown kind", "```etc/my.xyzzy\nx\n```", {"code (, etc/my.xyzzy)|x"}},
    {"tags that are no files",
     "```text/html\nx\n```\n```asp.net\ny\n```\n```Makefile\nz\n```\n```c++\nc\n```",
     {"code (text/html)|x", "code (asp.net)|y", "code (Makefile)|z", "code (c++)|c"}},

    {"a longer fence around a shorter",
     "````md\n```cpp\nx\n```\n````\nend",
     {"code (md)|```cpp\nx\n```", "text|end"}},
    {"a longer fence closes", "```\nx\n`````\nend", {"code ()|x", "text|end"}},
    {"the other fence is code", "```\n~~~\n```", {"code ()|~~~"}},
    {"tildes around backticks", "~~~\n```\n~~~~", {"code ()|```"}},
    {"a fence with a tag does not close", "```\n```cpp\n```", {"code ()|```cpp"}},
    {"a file of Markdown with a fence as long as its own",
     "```markdown\n# T\n\n```js\nrun();\n```\n\nMore\n```\n\nEnd",
     {"code (markdown)|# T\n\n```js\nrun();\n```\n\nMore", "text|End"}},
    {"several such fences",
     "```md\n``` a\n```\n~~~\n   ````b\n```\n````\n```\nEnd",
     {"code (md)|``` a\n```\n~~~\n   ````b\n```\n````", "text|End"}},
    {"the same with tildes",
     "~~~mdx\n~~~ a`b\n~~~\n~~~\nEnd",
     {"code (mdx)|~~~ a`b\n~~~", "text|End"}},
    {"lines of a file of Markdown",
     "```1:3:a.md\n```sh\nls\n```\n```\nEnd",
     {"lines 1 to 3 of a.md (markdown)|```sh\nls\n```", "text|End"}},
    {"inline code in a file of Markdown",
     "```md\n```x``` y\n```\nEnd",
     {"code (md)|```x``` y", "text|End"}},
    {"a fence without a tag ends a file of Markdown",
     "```md\n# T\n```\nEnd",
     {"code (md)|# T", "text|End"}},
    {"a shorter fence in a file of Markdown",
     "````md\n```js\n````\nEnd",
     {"code (md)|```js", "text|End"}},
    {"another file of Markdown within",
     "```md\n```md\n```js\n```\n```\nEnd",
     {"code (md)|```md\n```js\n```", "text|End"}},
    {"the next block begins afresh",
     "```md\n```js\n```\n```\n```md\nx\n```\nEnd",
     {"code (md)|```js\n```", "code (md)|x", "text|End"}},
    {"blanks after a closing fence", "```\nx\n``` \t\nend", {"code ()|x", "text|end"}},
    {"not closed", "```py\nx = 1\n", {"code (py)|x = 1"}},
    {"not closed, within a line", "```py\nx = 1", {"code (py)|x = 1"}},
    {"not closed, a part of a fence", "```\nx\n``", {"code ()|x\n``"}},
    {"closed without a line end", "```\nx\n```", {"code ()|x"}},
    {"opened at the end", "a\n```py", {"text|a", "code (py)|"}},

    {"indented fence", "   ```py\n   a\n     b\n  c\nd\n   ```", {"code (py)|a\n  b\nc\nd"}},
    {"indented too far", "    ```py\n    x\n    ```", {"text|    ```py\n    x\n    ```"}},
    {"a tab is too far", "\t```py\nx", {"text|\t```py\nx"}},
    {"closing fence too far", "```\nx\n    ```\n```", {"code ()|x\n    ```"}},
    {"a tab that is cut", " ```\n\tx\n ```", {"code ()|   x"}},

    {"inline code",
     "```not a fence``` here\nand `this`",
     {"text|```not a fence``` here\nand `this`"}},
    {"two backticks", "``x\n~~ y", {"text|``x\n~~ y"}},
    {"a fence within a line", "see ```py\nx", {"text|see ```py\nx"}},
    {"a quoted fence is text", "> ```py\n> x\n> ```", {"text|> ```py\n> x\n> ```"}},

    {"a fence in a list",
     "- one\n  ```py\n  x\n    y\n  ```\n- two",
     {"text|- one", "code (py)|x\n  y", "text|- two"}},
    {"a fence in a numbered list",
     "1. one\n\n   ```py\n   x\n   ```\n2. two",
     {"text|1. one", "code (py)|x", "text|2. two"}},
    {"a fence in a list of a list",
     "- a\n  - b\n    - c\n\n      ```py\n      x\n      ```\n",
     {"text|- a\n  - b\n    - c", "code (py)|x"}},
    {"a wide marker", "10)  one\n     ```py\n     x\n     ```", {"text|10)  one", "code (py)|x"}},
    {"a fence after a marker", "- ```py\n  x\n  ```\n- b", {"code (py)|x", "text|- b"}},
    {"a fence after two markers", "1. - ~~~\n     x\n     ~~~", {"code ()|x"}},
    {"code that lost the indentation of the list",
     "1. one\n   ```py\nx\n```\n2. two",
     {"text|1. one", "code (py)|x", "text|2. two"}},
    {"a list that has ended", "- one\n\nend\n    ```py", {"text|- one\n\nend\n    ```py"}},
    {"a bullet without content", "-\n  ```py\n  x\n  ```", {"text|-", "code (py)|x"}},
    {"a bullet without content, with a carriage return",
     "1.\r\n     ```py\r\n     x\r\n     ```\r\n",
     {"text|1.", "code (py)|x"}},
    {"not a list",
     "-one\n1.one\n1234567890. x\n    ```",
     {"text|-one\n1.one\n1234567890. x\n    ```"}},
    {"a number at the end of a line", "1\r\n2\n", {"text|1\r\n2"}},
    {"indented code after a marker", "-      ```py\n  x", {"text|-      ```py\n  x"}},

    {"lines of a file",
     "```12:14:src/main.py\nx\n```",
     {"lines 12 to 14 of src/main.py (python)|x"}},
    {"one line of a file", "```7:7:a.cc\nx\n```", {"lines 7 to 7 of a.cc (cpp)|x"}},
    {"a path with spaces",
     "``` 1:2:my docs/a b.md \nx\n```",
     {"lines 1 to 2 of my docs/a b.md (markdown)|x"}},
    {"a path of Windows",
     "```1:2:C:\\x.cpp\r\nx\r\n```\r\n",
     {"lines 1 to 2 of C:\\x.cpp (cpp)|x"}},
    {"a file without an extension", "```1:2:bin/run\nx\n```", {"lines 1 to 2 of bin/run ()|x"}},
    {"the last line that counts",
     "```1:2147483647:a.c\nx\n```",
     {"lines 1 to 2147483647 of a.c (c)|x"}},
    {"line 0", "```0:3:a.py\nx\n```", {"code (python, a.py)|x"}},
    {"lines that end before they begin", "```9:3:a.py\nx\n```", {"code (python, a.py)|x"}},
    {"a number too large", "```1:99999999999999999999:a.py\nx\n```", {"code (python, a.py)|x"}},
    {"words for numbers", "```a:b:c.py\nx\n```", {"code (a)|x"}},
    {"a signed number", "```-1:+2:c.py\nx\n```", {"code (-1)|x"}},
    {"no path", "```1:2:\nx\n```", {"code ()|x"}},
    {"two numbers alone", "```1:2\nx\n```", {"code ()|x"}},
};

TEST(TextParser, MakesTheDocumentsOfEveryCase) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(Parse(c.text), ElementsAreArray(c.documents));
  }
}

TEST(TextParser, MakesTheSameDocumentsOfEverySplit) {
  std::string all;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    test::ForEachSplit(c.text, [&c](const std::vector<std::string_view>& pieces) {
      EXPECT_THAT(ParseIn(pieces), ElementsAreArray(c.documents));
    });
    all += c.text + "\n";
  }
  const std::vector<std::string> whole = Parse(all);
  test::ForEachSplit(all, [&whole](const std::vector<std::string_view>& pieces) {
    EXPECT_EQ(ParseIn(pieces), whole);
  });
}

TEST(TextParser, GivesTextOutAsItComes) {
  TextParser parser(TextFormat::kMarkdown, AgentMode::kAgent);
  std::vector<TextPart> parts;
  parser.Add("Hel", parts);
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(std::get<PartContent>(parts[1]).text, "Hel");
  parser.Add("lo", parts);
  ASSERT_THAT(parts, SizeIs(3));
  parser.Add("\n\n", parts);  // nobody knows whether more follows
  EXPECT_THAT(parts, SizeIs(3));
  parser.Add("x", parts);
  ASSERT_THAT(parts, SizeIs(4));
  EXPECT_EQ(std::get<PartContent>(parts[3]).text, "\n\nx");
  parser.Add("\n```cpp\nint", parts);
  ASSERT_THAT(parts, SizeIs(7));
  EXPECT_EQ(std::get<PartContent>(parts[6]).text, "int");
}

TEST(TextParser, ReadsAfreshBehindItsEnd) {
  TextParser parser(TextFormat::kPlain, AgentMode::kAgent);
  std::vector<TextPart> parts;
  parser.Add("- a\n  ```py\n  x", parts);
  parser.End(parts);
  // Neither within the fence nor within the list.
  parser.Add("y\n    ```\n", parts);
  parser.End(parts);
  Collector collector;
  collector.Add(parts);
  EXPECT_THAT(collector.documents(), ElementsAre("text|- a", "code (py)|x", "text|y\n    ```"));
}

TEST(TextParser, SaysTheFormatThatItWasGiven) {
  TextParser parser(TextFormat::kPlain, AgentMode::kAgent);
  std::vector<TextPart> parts;
  parser.Add("a", parts);
  const auto& metadata = std::get<PartStart>(parts.at(0)).metadata;
  EXPECT_EQ(std::get<TextMetadata>(metadata).format, TextFormat::kPlain);
}

TEST(TextParser, HoldsBackNoMoreThanAFenceLineMayHave) {
  TextParser parser(TextFormat::kMarkdown, AgentMode::kAgent);
  std::vector<TextPart> parts;
  const std::string info(kMaxFenceLineBytes, 'x');
  parser.Add("```" + info.substr(3), parts);
  EXPECT_THAT(parts, IsEmpty());
  EXPECT_EQ(parser.held_bytes(), kMaxFenceLineBytes);
  parser.Add("x", parts);  // no fence is so long
  EXPECT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parser.held_bytes(), 0U);
  EXPECT_THAT(Parse("```" + info.substr(3) + "\nx\n```"), SizeIs(1));
  EXPECT_THAT(Parse("```" + info + "\nx\n```"), SizeIs(2));
}

// A hostile model must not make it slow: each byte is looked at a few times, however it comes.
TEST(TextParser, ReadsEndlessLinesByteByByte) {
  constexpr size_t kBytes = size_t{1} << 17;
  for (const std::string pattern : {" ", "`", "~", "- ", "1. ", "\t", "\r", "```\n", "> "}) {
    SCOPED_TRACE(pattern);
    TextParser parser(TextFormat::kMarkdown, AgentMode::kAgent);
    Collector collector;
    for (size_t i = 0; i < kBytes; ++i) {
      std::vector<TextPart> parts;
      parser.Add(std::string_view(pattern).substr(i % pattern.size(), 1), parts);
      collector.Add(parts);
    }
    std::vector<TextPart> parts;
    parser.End(parts);
    collector.Add(parts);
    EXPECT_LE(collector.documents().size(), kBytes / 8);
  }
}

TEST(TextParser, SaysWhatCodeIsFor) {
  const struct {
    std::string tag;
    AgentMode mode;
    CodePurpose purpose;
  } kPurposes[] = {{"cpp", AgentMode::kAgent, CodePurpose::kNewCode},
                   {"cpp", AgentMode::kDebug, CodePurpose::kNewCode},
                   {"cpp", AgentMode::kAsk, CodePurpose::kSuggestion},
                   {"cpp", AgentMode::kPlan, CodePurpose::kSuggestion},
                   {"diff", AgentMode::kAgent, CodePurpose::kSuggestion},
                   {"bash", AgentMode::kAgent, CodePurpose::kExample},
                   {"bash", AgentMode::kAsk, CodePurpose::kExample},
                   {"", AgentMode::kAgent, CodePurpose::kExample},
                   {"run.sh", AgentMode::kAgent, CodePurpose::kNewCode},
                   {"etc/my.xyzzy", AgentMode::kAgent, CodePurpose::kNewCode},
                   {"etc/my.xyzzy", AgentMode::kPlan, CodePurpose::kSuggestion}};
  for (const auto& c : kPurposes) {
    SCOPED_TRACE(c.tag);
    TextParser parser(TextFormat::kMarkdown, c.mode);
    std::vector<TextPart> parts;
    parser.Add("```" + c.tag + "\n", parts);
    const auto& metadata = std::get<PartStart>(parts.at(0)).metadata;
    EXPECT_EQ(std::get<CodeBlockMetadata>(metadata).purpose, c.purpose);
  }
}

}  // namespace
}  // namespace cursorwire::documents
