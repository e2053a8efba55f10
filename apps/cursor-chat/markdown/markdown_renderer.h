#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_MARKDOWN_RENDERER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_MARKDOWN_RENDERER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markdown/block_splitter.h"
#include "markdown/code_highlighter.h"
#include "markdown/colors.h"
#include "markdown/live_region.h"
#include "markdown/styled_line.h"

namespace cursor_chat {

struct MarkdownStyle {
  size_t columns = 80;
  size_t rows = 24;
  Colors colors = Colors::kAnsi;
  // False: bullets and the lines of tables are ASCII.
  bool unicode = true;
  // The terminal wraps the lines on its screen anew when it gets another width.
  bool rewraps = false;
};

// A longer line of the source is cut, between two words if possible.
inline constexpr size_t kMaxSourceLineBytes = 4096;

// Turns a model's answer, which is Markdown and comes in pieces, into text for a terminal. What is
// on the screen depends only on the text so far, not on how it was cut into pieces.
//
// The answer is untrusted: control characters in it become visible (VisibleText()), so the only
// escape sequences are our own: colours, "cursor up", "erase line" and "erase below". HTML is shown
// as text, and the address of a link stands after it.
//
// Order: Add() any number of times, then Finish(); after that the next answer may come. Between
// these, nothing else may be written to the terminal.
// Memory: a few times kMaxBlockBytes, and what is returned. Without I/O. Thread-compatible.
class MarkdownRenderer {
 public:
  explicit MarkdownRenderer(MarkdownStyle style);

  // More of the answer. Returns bytes for the terminal: what of it is settled, and the open block
  // drawn anew, with cursor movements.
  std::string Add(std::string_view text);

  // The answer is over, or something else is about to be written: settles what is open. The screen
  // then ends with a newline if anything was written.
  std::string Finish();

  // The terminal has another size. What is open is drawn anew by the next Add() or Finish().
  void Resize(size_t columns, size_t rows);

 private:
  using Lines = std::vector<std::string>;

  // The start of rest_, if it is complete or as long as a line may be.
  std::optional<std::string> TakeLine();
  void Compose(const std::vector<markdown::SourcePiece>& pieces,
               markdown::CodeHighlighter& highlighter, Lines& lines) const;
  void ComposeBlock(const markdown::SourcePiece& piece, Lines& lines) const;
  void AddRows(std::vector<markdown::StyledLine> rows, Lines& lines) const;
  Lines OpenLines() const;
  size_t width() const;

  MarkdownStyle style_;
  std::string rest_;  // the line that is not complete
  markdown::BlockSplitter splitter_;
  markdown::CodeHighlighter highlighter_;  // of the code that is open
  markdown::LiveRegion region_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_MARKDOWN_RENDERER_H_
