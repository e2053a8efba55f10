#include "documents/line_start.h"

#include <algorithm>

namespace cursorwire::documents {
namespace {

constexpr size_t kTabColumns = 4;
constexpr size_t kMinFence = 3;
constexpr size_t kFenceIndent = 3;  // of a fence and of the marker of a list item
constexpr size_t kItemDigits = 9;
constexpr size_t kItemIndent = 4;  // further to the right the item begins with indented code

bool IsSpace(char c) { return c == ' ' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

size_t ColumnAfter(size_t column, char c) {
  return c == '\t' ? (column / kTabColumns + 1) * kTabColumns : column + 1;
}

void TextLineStart::Begin() {
  phase_ = Phase::kIndent;
  bytes_ = column_ = digits_ = fence_bytes_ = 0;
  in_item_ = false;
  blank_ = true;
}

TextLineStart::Kind TextLineStart::Add(char c) {
  ++bytes_;
  if (phase_ == Phase::kIndent) return AddToIndent(c);
  if (phase_ == Phase::kFence || phase_ == Phase::kInfo) return AddToFence(c);
  column_ = ColumnAfter(column_, c);
  if (phase_ == Phase::kNumber) {
    if (IsDigit(c)) return ++digits_ > kItemDigits ? Kind::kText : Kind::kUndecided;
    if (c != '.' && c != ')') return Kind::kText;
    phase_ = Phase::kMarkerEnd;
    marker_end_ = column_;
    return Kind::kUndecided;
  }
  if (c == '\r') return Kind::kUndecided;  // of the line end: an empty item
  if (!IsSpace(c)) return Kind::kText;
  in_item_ = true;
  phase_ = Phase::kIndent;
  return Kind::kUndecided;
}

TextLineStart::Kind TextLineStart::AddToIndent(char c) {
  if (IsSpace(c)) {
    column_ = ColumnAfter(column_, c);
    return Kind::kUndecided;
  }
  if (c == '\r') return Kind::kUndecided;  // of the line end, or as good as blank
  if (in_item_) {
    const bool is_code = column_ - marker_end_ > kItemIndent;
    lists_.OnItem(is_code ? marker_end_ + 1 : column_);
  } else if (blank_) {
    lists_.OnLine(column_);
  }
  blank_ = false;
  const size_t base = lists_.innermost();
  if (column_ > base + kFenceIndent) return Kind::kText;
  if (c == '`' || c == '~') {
    fence_ = {.character = c, .length = 1, .column = column_, .base_column = base};
    fence_bytes_ = 1;
    phase_ = Phase::kFence;
    return Kind::kUndecided;
  }
  return BeginItem(c);
}

TextLineStart::Kind TextLineStart::BeginItem(char c) {
  ++column_;
  if (IsDigit(c)) {
    digits_ = 1;
    phase_ = Phase::kNumber;
    return Kind::kUndecided;
  }
  if (c != '-' && c != '+' && c != '*') return Kind::kText;
  marker_end_ = column_;
  phase_ = Phase::kMarkerEnd;
  return Kind::kUndecided;
}

TextLineStart::Kind TextLineStart::AddToFence(char c) {
  if (++fence_bytes_ > kMaxFenceLineBytes) return Kind::kText;
  if (phase_ == Phase::kFence) {
    if (c == fence_.character) {
      ++fence_.length;
      return Kind::kUndecided;
    }
    if (fence_.length < kMinFence) return Kind::kText;
    phase_ = Phase::kInfo;
    info_start_ = bytes_ - 1;
  }
  // Backticks within the line are inline code.
  return c == '`' && fence_.character == '`' ? Kind::kText : Kind::kUndecided;
}

TextLineStart::Kind TextLineStart::End() {
  switch (phase_) {
    case Phase::kIndent:
      if (in_item_) lists_.OnItem(marker_end_ + 1);
      return blank_ ? Kind::kBlank : Kind::kText;
    case Phase::kMarkerEnd:
      lists_.OnItem(marker_end_ + 1);
      return Kind::kText;
    case Phase::kNumber:
      return Kind::kText;
    case Phase::kFence:
      info_start_ = bytes_;
      return fence_.length < kMinFence ? Kind::kText : Kind::kFence;
    case Phase::kInfo:
      return Kind::kFence;
  }
  return Kind::kText;
}

void CodeLineStart::Open(const Fence& fence, bool holds_markdown) {
  fence_ = fence;
  holds_markdown_ = holds_markdown;
  inner_length_ = 0;
  opens_inner_ = false;
}

void CodeLineStart::Begin() {
  if (opens_inner_) inner_length_ = length_;
  opens_inner_ = false;
  phase_ = Phase::kIndent;
  column_ = length_ = 0;
}

CodeLineStart::Kind CodeLineStart::Add(char c) {
  const bool is_blank = IsSpace(c) || c == '\r';
  if (phase_ == Phase::kIndent && is_blank) {
    column_ = ColumnAfter(column_, c);
    return column_ > fence_.base_column + kFenceIndent ? Code() : Kind::kUndecided;
  }
  if (phase_ != Phase::kBlank && c == fence_.character) {
    phase_ = Phase::kFence;
    ++length_;
    return Kind::kUndecided;
  }
  if (phase_ == Phase::kIndent || length_ < fence_.length) return Code();
  if (is_blank) {
    phase_ = Phase::kBlank;
    return Kind::kUndecided;
  }
  opens_inner_ = holds_markdown_ && inner_length_ == 0;
  AddRest({&c, 1});
  return Code();
}

// Backticks after a fence of backticks are inline code.
void CodeLineStart::AddRest(std::string_view rest) {
  if (opens_inner_ && fence_.character == '`' && rest.find('`') != std::string_view::npos) {
    opens_inner_ = false;
  }
}

CodeLineStart::Kind CodeLineStart::End() {
  if (phase_ == Phase::kIndent || phase_ == Phase::kCode) return Kind::kCode;
  if (length_ < std::max(fence_.length, inner_length_)) return Kind::kCode;
  if (inner_length_ == 0) return Kind::kClose;
  inner_length_ = 0;
  return Kind::kCode;
}

}  // namespace cursorwire::documents
