#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_CODE_LANGUAGE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_CODE_LANGUAGE_H_

#include <string_view>

namespace cursor_chat::markdown {

// What the colours of a language need to know of it.
struct CodeLanguage {
  enum class Form { kProgram, kData, kDiff };  // kData: a string before a colon is a name

  std::string_view names = {};  // of the language in a fence, with spaces between them
  Form form = Form::kProgram;
  std::string_view line_comment = {};
  std::string_view block_comment_start = {};
  std::string_view block_comment_end = {};
  std::string_view quotes = {};  // characters that begin and end a string within a line
  char character_quote = '\0';   // one that may also stand alone, if it does not hold one character
  std::string_view long_quotes =
      {};                          // strings over several lines: their quotes, with spaces between
  std::string_view keywords = {};  // with spaces between them
};

// Whether a list of words, with spaces between them, has this word.
bool HasWord(std::string_view words, std::string_view word);

// The language of a fence such as "```c++"; lower and upper case are the same. nullptr: unknown.
const CodeLanguage* FindCodeLanguage(std::string_view name);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_CODE_LANGUAGE_H_
