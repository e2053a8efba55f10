#include "markdown/code_highlighter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "markdown/styled_line.h"

namespace cursor_chat::markdown {
namespace {

// Each part that has a colour as "<letter:text>".
std::string Shown(const StyledLine& line) {
  std::string text;
  for (const StyledText& part : line) {
    const char* letter = "";
    switch (part.style.color) {
      case TextColor::kDefault:
        letter = part.style.bold ? "b" : "";
        break;
      case TextColor::kRed:
        letter = "-";
        break;
      case TextColor::kGreen:
        letter = "s";
        break;
      case TextColor::kYellow:
        letter = "n";
        break;
      case TextColor::kMagenta:
        letter = "k";
        break;
      case TextColor::kCyan:
        letter = "name";
        break;
      case TextColor::kFaint:
        letter = "c";
        break;
    }
    text += *letter == '\0' ? part.text : std::string("<") + letter + ":" + part.text + ">";
  }
  return text;
}

std::string Highlighted(std::string_view language, std::string_view code) {
  CodeHighlighter highlighter(language);
  std::string result;
  for (;;) {
    const size_t end = code.find('\n');
    result += Shown(highlighter.Highlight(code.substr(0, end)));
    if (end == code.npos) return result;
    result += '\n';
    code.remove_prefix(end + 1);
  }
}

TEST(CodeHighlighter, ColoursEachLanguage) {
  const struct {
    const char* language;
    const char* code;
    const char* shown;
  } cases[] = {
      {"cpp", "int x = 0x1F; // of \"it\"", "<k:int> x = <n:0x1F>; <c:// of \"it\">"},
      {"C++", "#include <map>", "<k:#include> <map>"},
      {"c", "char c = '\\''; /* a\nb */ f(1'000)",
       "<k:char> c = <s:'\\''>; <c:/* a>\n<c:b */> f(<n:1'000>)"},
      {"python", "def f(): # no \"s\"\n  '''a\nint''' + 'b'",
       "<k:def> f(): <c:# no \"s\">\n  <s:'''a>\n<s:int'''> + <s:'b'>"},
      {"ts", "const a = `x\nif` + \"\\\"\";", "<k:const> a = <s:`x>\n<s:if`> + <s:\"\\\"\">;"},
      {"rust", "fn f<'a>(c: &'a str) { 'x' }", "<k:fn> f<'a>(c: &'a <k:str>) { <s:'x'> }"},
      {"go", "func main() { return 1.5 }", "<k:func> main() { <k:return> <n:1.5> }"},
      {"java", "public class A2 {}", "<k:public> <k:class> A2 {}"},
      {"sh", "echo \"$x\" # y", "<k:echo> <s:\"$x\"> <c:# y>"},
      {"sh", "echo ${#x} don't", "<k:echo> ${#x} don't"},
      {"json", "{\"a\": \"b\", \"c\": [1, true]}",
       "{<name:\"a\">: <s:\"b\">, <name:\"c\">: [<n:1>, <k:true>]}"},
      {"yaml", "on-push: 'x' # y", "<name:on-push>: <s:'x'> <c:# y>"},
      {"diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z",
       "<b:--- a>\n<b:+++ b>\n<name:@@ -1 +1 @@>\n<-:-x>\n<s:+y>\n z"},
      {"sql", "SELECT 1 -- one", "<k:SELECT> <n:1> <c:-- one>"},
      {"kotlin", "val x = 1", "<k:val> x = <n:1>"},
      {"ruby", "def x # y", "<k:def> x <c:# y>"},
      {"cobol", "if 1 \"x\"", "if 1 \"x\""},
      {"", "if 1 \"x\"", "if 1 \"x\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.language) + ": " + c.code);
    EXPECT_EQ(Highlighted(c.language, c.code), c.shown);
  }
}

TEST(CodeHighlighter, TurnsTabsIntoSpaces) {
  EXPECT_EQ(Highlighted("", "\ta\tb"), "    a   b");
  EXPECT_EQ(Highlighted("", "中\tb"), "中  b");
}

TEST(CodeHighlighter, NeverChangesTheText) {
  const std::string code = "a'b\"c`d/*e*/f#g//h\\0x'ä'中\"\"\"x'''";
  for (const char* language : {"cpp", "python", "js", "rust", "go", "java", "sh", "json", "yaml",
                               "diff", "sql", "swift", "ruby"}) {
    SCOPED_TRACE(language);
    for (size_t start = 0; start < code.size(); ++start) {
      const std::string part = code.substr(start);
      CodeHighlighter highlighter(language);
      for (int line = 0; line < 2; ++line) {
        EXPECT_EQ(Paint(highlighter.Highlight(part), Colors::kNone), part);
      }
    }
  }
}

}  // namespace
}  // namespace cursor_chat::markdown
