#include "markdown/block_splitter.h"

#include <algorithm>
#include <utility>

#include "markdown/preview.h"

namespace cursor_chat::markdown {
namespace {

// The head of a table that is too long, for the rest of it: the first two lines, if they are one.
std::string TableHead(std::string_view text) {
  const size_t first = text.find('\n');
  if (first == text.npos) return {};
  const size_t second = text.find('\n', first + 1);
  if (second > kMaxBlockBytes / 4) return {};  // also if there is no second line
  const bool is_table = text.substr(0, first).find('|') != text.npos &&
                        IsTableDelimiter(text.substr(first + 1, second - first - 1));
  return is_table ? std::string(text.substr(0, second + 1)) : std::string();
}

// md4c 0.4.8 wants three dashes in each column of the line below the head of a table.
std::string WithLongDashes(std::string_view line) {
  std::string result;
  while (!line.empty()) {
    const size_t dashes = std::min(line.find_first_not_of('-'), line.size());
    result +=
        dashes > 0 ? std::string(std::max<size_t>(dashes, 3), '-') : std::string(line.substr(0, 1));
    line.remove_prefix(std::max<size_t>(dashes, 1));
  }
  return result;
}

// `above` is the open text: whether it is only the head of a table, with its newline.
bool IsTableHead(std::string_view above) {
  return above.find('\n') + 1 == above.size() && above.find('|') != above.npos;
}

// A line as md4c is to see it.
std::string ForParser(const std::string& line, std::string_view above) {
  if (IsTableDelimiter(line) && IsTableHead(above)) return WithLongDashes(line);
  if (!IsLinkDefinition(line)) return line;
  // As a definition it would not be shown.
  const size_t indent = IndentOf(line);
  return line.substr(0, indent) + '\\' + line.substr(indent);
}

// The line that began the code in which a text ends, if it ends in code. `content` is the column
// where the text of its item begins.
std::string OpenFence(std::string_view text, size_t content) {
  std::optional<Fence> open;
  for (bool first = true; !text.empty(); first = false) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(first ? std::min(content, line.size()) : IndentOf(line));
    if (!open) {
      open = ParseFence(line);
    } else if (EndsFence(line, *open)) {
      open.reset();
    }
  }
  return open ? std::string(open->length, open->mark) + open->language + "\n" : std::string();
}

}  // namespace

std::vector<SourcePiece> BlockSplitter::AddLine(std::string_view line) {
  const std::string text = WithoutLeadingTabs(line);
  if (fence_) {
    AddCodeLine(std::string(line));
  } else if (IsBlankLine(text)) {
    AddBlankLine();
  } else {
    if (!TakeInItem(text)) AddText(text);
    after_blank_ = false;
  }
  return std::exchange(done_, {});
}

std::vector<SourcePiece> BlockSplitter::AddStart(std::string_view start) {
  const std::string line = WithoutLeadingTabs(start);
  const bool in_item = open_ == Open::kItem || open_ == Open::kRestOfItem;
  if (in_item && !MayBecomeMark(line) && IndentOf(line) < marker_.content &&
      (after_blank_ || ParseListMarker(line))) {
    Close();
  }
  return std::exchange(done_, {});
}

std::vector<SourcePiece> BlockSplitter::Finish() {
  Close();
  std::vector<SourcePiece> pieces = std::exchange(done_, {});
  *this = BlockSplitter();
  return pieces;
}

void BlockSplitter::AddCodeLine(const std::string& line) {
  if (EndsFence(WithoutLeadingTabs(line), *fence_)) {
    fence_.reset();
    return;
  }
  SourcePiece piece;
  piece.kind = SourcePiece::Kind::kCodeLine;
  piece.text = line.substr(std::min(IndentOf(line), fence_->indent));
  piece.starts_code = std::exchange(starts_code_, false);
  piece.gap = piece.starts_code && any_;
  piece.language = piece.starts_code ? fence_->language : "";
  done_.push_back(std::move(piece));
  any_ = true;
}

void BlockSplitter::AddBlankLine() {
  after_blank_ = true;
  if (open_ == Open::kItem || open_ == Open::kRestOfItem) {
    Append("");
  } else {
    Close();
  }
}

bool BlockSplitter::TakeInItem(const std::string& line) {
  if (open_ != Open::kItem && open_ != Open::kRestOfItem) return false;
  if (IndentOf(line) < marker_.content) return false;
  Append(line);
  return true;
}

void BlockSplitter::AddText(const std::string& line) {
  if (const std::optional<Fence> fence = ParseFence(line)) return StartCode(*fence);
  if (TakeSingleLine(line)) return;
  if (const std::optional<ListMarker> marker = ParseListMarker(line);
      marker && StartsItem(*marker)) {
    return StartItem(*marker, line);
  }
  const bool starts_quote = IsQuote(line) && !IsQuote(text_);
  if (after_blank_ || starts_quote) Close();
  if (open_ == Open::kNone) {
    piece_ = {.gap = any_};
    open_ = Open::kText;
    in_list_ = false;
  }
  Append(ForParser(line, text_));
}

bool BlockSplitter::TakeSingleLine(const std::string& line) {
  if (open_ == Open::kText && !IsQuote(text_) && IsUnderline(line)) {
    Append(line);
    Close();
    return true;
  }
  if (!IsRule(line) && !IsHeading(line)) return false;
  Close();
  piece_ = {.gap = any_};
  open_ = Open::kText;
  in_list_ = false;
  Append(line);
  Close();
  return true;
}

bool BlockSplitter::StartsItem(const ListMarker& marker) const {
  if (open_ != Open::kText) return true;
  // Within a paragraph only what is clearly a list begins one.
  return !marker.empty && marker.number.value_or(1) == 1;
}

void BlockSplitter::StartItem(const ListMarker& marker, const std::string& line) {
  Close();
  const bool same_list = in_list_ && marker.delimiter == marker_.delimiter;
  piece_ = {.gap = any_ && (!in_list_ || after_blank_), .margin = marker.indent};
  if (same_list && marker.number) piece_.number = next_number_;
  next_number_ = piece_.number.value_or(marker.number.value_or(0)) + 1;
  marker_ = marker;
  open_ = Open::kItem;
  in_list_ = true;
  Append(line);
}

void BlockSplitter::StartCode(const Fence& fence) {
  Close();
  fence_ = fence;
  starts_code_ = true;
  in_list_ = false;
}

void BlockSplitter::Append(std::string_view line) {
  if (!text_.empty() && text_.size() + line.size() > kMaxBlockBytes) CutLongBlock();
  if (open_ == Open::kRestOfItem) {
    line.remove_prefix(std::min(IndentOf(line), marker_.content));
  }
  text_.append(line).append("\n");
}

void BlockSplitter::CutLongBlock() {
  const Open open = open_ == Open::kText ? Open::kText : Open::kRestOfItem;
  const std::string head = open_ == Open::kText
                               ? TableHead(text_)
                               : OpenFence(text_, open_ == Open::kItem ? marker_.content : 0);
  Close();
  open_ = open;
  piece_ = {.margin = open == Open::kRestOfItem ? marker_.content : 0};
  text_ = head;
}

void BlockSplitter::Close() {
  if (open_ == Open::kNone) return;
  piece_.text = std::exchange(text_, {});
  done_.push_back(std::exchange(piece_, {}));
  open_ = Open::kNone;
  any_ = true;
}

}  // namespace cursor_chat::markdown
