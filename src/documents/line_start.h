#ifndef CURSORWIRE_SRC_DOCUMENTS_LINE_START_H_
#define CURSORWIRE_SRC_DOCUMENTS_LINE_START_H_

#include <cstddef>
#include <string_view>

#include "documents/list_indents.h"

namespace cursorwire::documents {

// The fence that opens a code block.
struct Fence {
  char character = '`';
  size_t length = 0;
  size_t column = 0;       // where it begins
  size_t base_column = 0;  // where the contents of its list item begin; 0 outside of lists
};

// A space or a tab: how far the line goes on (CommonMark 0.30, section 2.2).
size_t ColumnAfter(size_t column, char c);

// Longest line that opens a fence, from its first character that is not blank. A longer one is
// text, so that little has to be held back to tell.
inline constexpr size_t kMaxFenceLineBytes = size_t{4} * 1024;

// Tells from the characters of a line of text, one by one, whether it opens a fence.
//
// Order: Begin(); Add() until it returns another than kUndecided, or the line ends; End() then.
class TextLineStart {
 public:
  enum class Kind { kUndecided, kText, kBlank, kFence };

  // `lists` are the items that the lines before have left open; it must outlive this.
  explicit TextLineStart(ListIndents& lists) : lists_(lists) {}

  void Begin();
  // The next character; not the line end.
  Kind Add(char c);
  // The line has ended.
  Kind End();
  // Of a line that opens one.
  const Fence& fence() const { return fence_; }
  // Where its info string begins, in bytes from the start of the line.
  size_t info_start() const { return info_start_; }

 private:
  enum class Phase { kIndent, kNumber, kMarkerEnd, kFence, kInfo };

  Kind AddToIndent(char c);
  Kind BeginItem(char c);
  Kind AddToFence(char c);

  ListIndents& lists_;
  Phase phase_ = Phase::kIndent;
  size_t bytes_ = 0;      // of the line
  size_t column_ = 0;     // where the next character stands
  bool in_item_ = false;  // after a marker of a list on this line
  bool blank_ = true;
  size_t digits_ = 0;      // of the number of a list item
  size_t marker_end_ = 0;  // column after the marker
  size_t fence_bytes_ = 0;
  size_t info_start_ = 0;
  Fence fence_;
};

// Tells from the characters of a line within a fence, one by one, whether it closes it. A fence
// that closes may be indented less than the one that opened: models often forget the indentation of
// a list.
//
// Within Markdown, models write fences that are no shorter than the one around them, so that by
// CommonMark the first inner one that closes would end it all. Here such a fence with an info
// string opens an inner block, and the next one without closes that. One level deep.
class CodeLineStart {
 public:
  enum class Kind { kUndecided, kCode, kClose };

  // The fence that opened. `holds_markdown`: what is within it.
  void Open(const Fence& fence, bool holds_markdown);
  // Each line, in order.
  void Begin();
  // As of TextLineStart.
  Kind Add(char c);
  Kind End();
  // The line, from the first character that was not given to Add(), if that told that it is code.
  void AddRest(std::string_view rest);

 private:
  enum class Phase { kIndent, kFence, kBlank, kCode };

  Kind Code() {
    phase_ = Phase::kCode;
    return Kind::kCode;
  }

  Fence fence_;
  bool holds_markdown_ = false;
  size_t inner_length_ = 0;   // of the fence of the inner block; 0: there is none
  bool opens_inner_ = false;  // the line, as far as it is known
  Phase phase_ = Phase::kIndent;
  size_t column_ = 0;
  size_t length_ = 0;  // of the run of fence characters
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_LINE_START_H_
