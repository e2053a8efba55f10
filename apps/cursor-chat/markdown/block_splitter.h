#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_BLOCK_SPLITTER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_BLOCK_SPLITTER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markdown/source_line.h"

namespace cursor_chat::markdown {

// A part of a document that nothing after it changes.
struct SourcePiece {
  enum class Kind { kBlock, kCodeLine };

  Kind kind = Kind::kBlock;
  std::string text = {};              // of a block: its lines, which are a document of their own
  bool gap = false;                   // a blank line comes before it
  size_t margin = 0;                  // columns to indent it by
  std::optional<size_t> number = {};  // of an item: its number, if not the one in its text
  bool starts_code = false;           // a kCodeLine is the first of its code
  std::string language = {};          // of the code, in its first line
};

// A longer block is cut between two of its lines, and the rest is a block of its own. Bounds the
// memory, and the work of drawing a block again with each of its words.
inline constexpr size_t kMaxBlockBytes = 8192;

// Cuts a document that comes line by line into pieces that can be parsed on their own: paragraphs,
// headings, quotes, tables, the items of a list at the left margin, and the lines of code in a
// fence. So what is on the screen for good is as close as possible to what has come.
//
// References to links stay text, since their definition may come later than they do.
// A copy continues on its own. Thread-compatible.
class BlockSplitter {
 public:
  // Lines without newline, VisibleText(). Returns the pieces that are complete now.
  std::vector<SourcePiece> AddLine(std::string_view line);
  // The start of a line that is not complete. It may be enough to see that an item is over; the
  // line still has to be passed to AddLine().
  std::vector<SourcePiece> AddStart(std::string_view start);
  // The document is over: returns what is left, and starts anew.
  std::vector<SourcePiece> Finish();

  bool in_code() const { return fence_.has_value(); }
  // What Finish() would return, as text; empty if there is nothing.
  const std::string& open_text() const { return text_; }

 private:
  enum class Open { kNone, kText, kItem, kRestOfItem };

  void AddCodeLine(const std::string& line);
  void AddBlankLine();
  void AddText(const std::string& line);
  bool TakeInItem(const std::string& line);
  bool TakeSingleLine(const std::string& line);
  bool StartsItem(const ListMarker& marker) const;
  void StartItem(const ListMarker& marker, const std::string& line);
  void StartCode(const Fence& fence);
  void Append(std::string_view line);
  void CutLongBlock();
  void Close();

  std::vector<SourcePiece> done_;
  Open open_ = Open::kNone;
  SourcePiece piece_;     // what is open, without its text
  std::string text_;      // its lines, each with its newline
  ListMarker marker_;     // of the last item
  bool in_list_ = false;  // the last piece was an item
  size_t next_number_ = 0;
  std::optional<Fence> fence_;
  bool starts_code_ = false;
  bool any_ = false;          // there was a piece
  bool after_blank_ = false;  // the last line was blank
};

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_BLOCK_SPLITTER_H_
