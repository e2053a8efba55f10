#ifndef CURSORWIRE_TESTS_APPS_CURSOR_CHAT_MARKDOWN_DOCUMENTS_H_
#define CURSORWIRE_TESTS_APPS_CURSOR_CHAT_MARKDOWN_DOCUMENTS_H_

#include <string_view>

namespace cursor_chat::markdown {

struct Document {
  std::string_view name;
  std::string_view text;
};

// Answers that have something to go wrong at each place where they may be cut.
inline constexpr Document kDocuments[] = {
    {"prose", "One *two* **three** `four` ~~five~~ six\nseven eight.\n\nNine \\*ten\\*  \neleven"},
    {"headings", "# One\n## Two `x`\n### Three\ntext\n\nFour\n===\nFive\n---\n#not\n####### not\n"},
    {"lists",
     "- a\n- b **c**\n  - d\n    1. e\n    2. f\n\n- g\n\n  more\n\n3. x\n3. y\n* [ ] t\n* [x] "
     "u\n"},
    {"code in a list", "1. a\n\n   ```py\n   def f(): # x\n\n     '''y\n   z'''\n   ```\n2. b\n"},
    {"code",
     "Look:\n```cpp\nint main() {\n\treturn 0; /* a\n b */ "
     "}\n\n```\nthen\n~~~\n```\n~~~\n```sh\nls"},
    {"table", "| a | bb |\n|---|:-:|\n| 1 | **x** |\n| a long cell with words | y |\n\nafter"},
    {"wide table",
     "a|b|c|d|e|f|g|h\n-|-|-|-|-|-|-|-\n1|2|3|4|5|6|7|8 is a longer cell than the others\n"},
    {"quotes",
     "> one\n> two\nlazy\n>\n> > deep\n> - item\n>   ```\n>   code\n>   ```\n\nout\n> again"},
    {"rules", "a\n\n***\n---\n- - -\nb\n"},
    {"links", "[a](http://x.y/z) <http://b.c> ![alt *t*](i.png) [r][1]\n\n[1]: http://d\n[e]()\n"},
    {"html", "<b>bold</b> &amp; &#27;[31m &bogus; <!-- x -->\n\n<div>\n\nx\n</div>\n"},
    {"control characters",
     "a\x1b[2Jb\x07\x7f\xC2\x9B"
     "c\r\nd\re\n```\n\x1b]8;;x\x1b\\\n\tq\n```\n- \x1b[1m\n"},
    {"not UTF-8", "a\xFF\xC3 b\xE2\x82\n\xF0\x9F\x98 c **\xE4\xB8** `\xC0\x80`"},
    {"East Asian", "日本語のテキストは幅が広い、**太字**も。\n\n|名|n|\n|--|--|\n|日本|é|\n"},
    {"from right to left", "שָׁלוֹם עולם **سلام** abc\n"},
    {"emoji", "e\xCC\x81 👨‍👩‍👧 ⚠️ x 🇩🇪\n\n- 👍🏽\n"},
    {"unfinished marks", "a **b *c `d\n\n**x\n\n[y](http"},
    {"blank lines", "\n\n  \na\n\n\n\nb\n   \n"},
    {"indented code", "a\n\n    b\n    c\n\n\td\n"},
    {"nested beyond the width",
     "- a\n  - b\n    - c\n      - d\n        - e\n          - f g h i j k\n"},
    {"long word",
     "x http://example.com/a/very/long/address/that/does/not/fit/on/any/line/of/a/small/screen y"},
    {"taller than the screen",
     "- 1\n  - 2\n  - 3\n  - 4\n  - 5\n  - 6\n  - 7\n\n  | a | b |\n  |--|--|\n  | c | d |\n  | e "
     "| f |\n  | gg | h |\n- end"},
};

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_TESTS_APPS_CURSOR_CHAT_MARKDOWN_DOCUMENTS_H_
