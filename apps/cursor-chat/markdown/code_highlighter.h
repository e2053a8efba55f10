#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_CODE_HIGHLIGHTER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_CODE_HIGHLIGHTER_H_

#include <string_view>

#include "markdown/code_language.h"
#include "markdown/styled_line.h"

namespace cursor_chat::markdown {

// Colours the lines of one piece of code: comments, strings, numbers and keywords. Not a parser: a
// line that looks like something else than it is gets wrong colours, never other text.
class CodeHighlighter {
 public:
  // A language that is not known has no colours.
  explicit CodeHighlighter(std::string_view language = {});

  // The next line, without its newline. Tabs become spaces.
  StyledLine Highlight(std::string_view line);

 private:
  StyledLine HighlightProgram(std::string_view line);
  // Each returns the bytes of what it takes of the start of `rest`, and adds it; 0: it is not that.
  size_t TakeOpen(std::string_view rest, StyledLine& result);
  size_t TakeComment(std::string_view rest, bool after_space, StyledLine& result);
  size_t TakeString(std::string_view rest, StyledLine& result);
  size_t TakeNumber(std::string_view rest, StyledLine& result) const;
  size_t TakeWord(std::string_view rest, StyledLine& result) const;

  const CodeLanguage* language_ = nullptr;
  // What ends the comment or string that an earlier line began; empty if there is none.
  std::string_view open_end_;
  bool open_is_comment_ = false;
};

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_CODE_HIGHLIGHTER_H_
