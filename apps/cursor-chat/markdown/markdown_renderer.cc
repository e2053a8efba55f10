#include "markdown/markdown_renderer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/visible_text.h"
#include "markdown/layout.h"
#include "markdown/markdown_block.h"
#include "markdown/preview.h"
#include "markdown/row_mark.h"
#include "markdown/styled_line.h"

namespace cursor_chat {
namespace {

using markdown::LayoutStyle;
using markdown::MarkdownBlock;
using markdown::SourcePiece;
using markdown::StyledLine;

// Where a line that is too long is cut: after its last space that fits, or between characters.
size_t CutOf(std::string_view text) {
  const size_t space = text.rfind(' ');
  if (space != text.npos && space > 0) return space + 1;
  std::string start(text);
  cursor_apps::CutToWholeCharacters(start);
  return start.size();
}

// A block with too many cells is shown as it is.
MarkdownBlock Unparsed(const std::string& text) {
  MarkdownBlock block;
  block.kind = MarkdownBlock::Kind::kParagraph;
  markdown::AddText(text, {}, block.text);
  return block;
}

StyledLine Spaces(size_t count) {
  StyledLine line;
  markdown::AddText(std::string(count, ' '), {}, line);
  return line;
}

void RemoveCarriageReturn(std::string& line) {
  if (line.ends_with('\r')) line.pop_back();
}

}  // namespace

MarkdownRenderer::MarkdownRenderer(MarkdownStyle style) : style_(style), region_(style.rows) {}

std::string MarkdownRenderer::Add(std::string_view text) {
  Lines settled;
  while (!text.empty()) {
    const size_t newline = text.substr(0, kMaxSourceLineBytes - rest_.size()).find('\n');
    const size_t size = newline == text.npos ? kMaxSourceLineBytes - rest_.size() : newline + 1;
    rest_ += text.substr(0, size);
    text.remove_prefix(std::min(size, text.size()));
    if (std::optional<std::string> line = TakeLine()) {
      Compose(splitter_.AddLine(*line), highlighter_, settled);
    }
  }
  Compose(splitter_.AddStart(rest_), highlighter_, settled);
  return region_.Draw(settled, OpenLines());
}

std::string MarkdownRenderer::Finish() {
  Lines settled;
  if (!rest_.empty()) {
    RemoveCarriageReturn(rest_);
    Compose(splitter_.AddLine(cursor_apps::VisibleText(std::exchange(rest_, {}))), highlighter_,
            settled);
  }
  Compose(splitter_.Finish(), highlighter_, settled);
  highlighter_ = markdown::CodeHighlighter();
  return region_.Draw(settled, {});
}

void MarkdownRenderer::Resize(size_t columns, size_t rows) {
  style_.columns = columns;
  style_.rows = rows;
  region_.Resize(style_.rewraps ? std::optional(columns) : std::nullopt, rows);
}

std::optional<std::string> MarkdownRenderer::TakeLine() {
  std::string line;
  if (rest_.ends_with('\n')) {
    line.swap(rest_);
    line.pop_back();
    RemoveCarriageReturn(line);
  } else if (rest_.size() >= kMaxSourceLineBytes) {
    const size_t end = CutOf(rest_);
    line = rest_.substr(0, end);
    rest_.erase(0, end);
  } else {
    return std::nullopt;
  }
  return cursor_apps::VisibleText(line);
}

void MarkdownRenderer::Compose(const std::vector<SourcePiece>& pieces,
                               markdown::CodeHighlighter& highlighter, Lines& lines) const {
  for (const SourcePiece& piece : pieces) {
    if (piece.gap) lines.emplace_back();
    if (piece.kind == SourcePiece::Kind::kBlock) {
      ComposeBlock(piece, lines);
      continue;
    }
    if (piece.starts_code) highlighter = markdown::CodeHighlighter(piece.language);
    const size_t margin = std::min(markdown::kCodeMargin, width() / 4);
    std::vector<StyledLine> cut =
        markdown::CutLine(highlighter.Highlight(piece.text), width() - margin);
    markdown::Indent(Spaces(margin), Spaces(margin), cut);
    AddRows(std::move(cut), lines);
  }
}

void MarkdownRenderer::ComposeBlock(const SourcePiece& piece, Lines& lines) const {
  std::optional<MarkdownBlock> block = markdown::ParseMarkdown(piece.text, style_.colors);
  if (!block) block = Unparsed(piece.text);
  if (piece.number && !block->children.empty() && block->children[0].number) {
    block->children[0].number = piece.number;
  }
  const size_t margin = std::min(piece.margin, width() / 4);
  const LayoutStyle style{.colors = style_.colors, .unicode = style_.unicode};
  std::vector<StyledLine> laid_out = markdown::LayOut(*block, width() - margin, style);
  markdown::Indent(Spaces(margin), Spaces(margin), laid_out);
  AddRows(std::move(laid_out), lines);
}

void MarkdownRenderer::AddRows(std::vector<StyledLine> rows, Lines& lines) const {
  for (StyledLine& row : rows) {
    for (StyledLine& part : markdown::MarkRow(std::move(row), width())) {
      lines.push_back(markdown::Paint(std::move(part), style_.colors));
    }
  }
}

// As if the text ended here.
MarkdownRenderer::Lines MarkdownRenderer::OpenLines() const {
  Lines lines;
  markdown::BlockSplitter splitter = splitter_;
  markdown::CodeHighlighter highlighter = highlighter_;
  std::string line = rest_;
  cursor_apps::CutToWholeCharacters(line);
  RemoveCarriageReturn(line);
  line = cursor_apps::VisibleText(line);
  if (!markdown::MayBecomeMark(line)) {
    Compose(splitter.AddLine(splitter.in_code() ? line : markdown::WithMarksClosed(line)),
            highlighter, lines);
  }
  Compose(splitter.Finish(), highlighter, lines);
  return lines;
}

// One column stays free: where a terminal continues after its last column differs.
size_t MarkdownRenderer::width() const { return std::max<size_t>(style_.columns, 3) - 1; }

}  // namespace cursor_chat
