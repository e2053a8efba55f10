#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_MARKDOWN_BLOCK_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_MARKDOWN_BLOCK_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markdown/colors.h"
#include "markdown/styled_line.h"

namespace cursor_chat::markdown {

// A part of a document, and what it consists of.
struct MarkdownBlock {
  enum class Kind {
    kDocument,
    kQuote,
    kList,
    kItem,
    kRule,
    kHeading,
    kCode,
    kParagraph,
    kTable,
    kRow,
    kCell
  };
  enum class Task { kNone, kOpen, kDone };
  enum class Align { kLeft, kCenter, kRight };

  Kind kind = Kind::kDocument;
  std::vector<MarkdownBlock> children;  // the first row of a table is its head
  StyledLine text;                      // of a heading, paragraph or cell
  std::string code;                     // of a kCode: lines, each with its newline
  std::string language;                 // of a kCode
  size_t level = 0;                     // of a heading: 1 to 6
  std::optional<size_t> number;         // of a list: its first number, if it has numbers
  bool tight = true;                    // of a list: no blank lines between its items
  Task task = Task::kNone;              // of an item
  Align align = Align::kLeft;           // of a cell
};

// Levels of quotes, lists and items within one another that are shown as such.
inline constexpr size_t kMaxBlockDepth = 24;
// Cells of the tables of one document: a short text can stand for many empty cells.
inline constexpr size_t kMaxTableCells = 4096;

// Parses a whole document. `source` is UTF-8 without control characters (VisibleText()); neither
// has the result any, except for line breaks. HTML stays text. With Colors::kNone, inline code and
// text struck through keep their marks. nullopt: the document has more than kMaxTableCells.
std::optional<MarkdownBlock> ParseMarkdown(std::string_view source, Colors colors);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_MARKDOWN_BLOCK_H_
