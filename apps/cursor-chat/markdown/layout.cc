#include "markdown/layout.h"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "markdown/code_highlighter.h"
#include "markdown/table_layout.h"

namespace cursor_chat::markdown {
namespace {

using Lines = std::vector<StyledLine>;

constexpr TextStyle kQuietStyle{.color = TextColor::kFaint};
// Text is not indented any further if fewer columns would be left for it.
constexpr size_t kMinTextColumns = 10;

StyledLine Words(std::string_view text, const TextStyle& style = {}) {
  StyledLine line;
  AddText(text, style, line);
  return line;
}

TextStyle HeadingStyle(size_t level, TextStyle style) {
  style.bold = true;
  if (level == 1) style.underline = true;
  if (style.color == TextColor::kDefault && level <= 3) {
    style.color = level <= 2 ? TextColor::kMagenta : TextColor::kCyan;
  }
  return style;
}

// Lays out one tree.
class TreeLayout {
 public:
  explicit TreeLayout(const LayoutStyle& style) : style_(style) {}

  Lines Block(const MarkdownBlock& block, size_t columns) const {
    switch (block.kind) {
      case MarkdownBlock::Kind::kQuote:
        return Quote(block, columns);
      case MarkdownBlock::Kind::kList:
        return List(block, columns);
      case MarkdownBlock::Kind::kRule:
        return {RuleLine(columns, style_)};
      case MarkdownBlock::Kind::kHeading:
        return Heading(block, columns);
      case MarkdownBlock::Kind::kCode:
        return Code(block, columns);
      case MarkdownBlock::Kind::kParagraph:
        return WrapWords(block.text, columns);
      case MarkdownBlock::Kind::kTable:
        return LayOutTable(block, columns, style_);
      case MarkdownBlock::Kind::kDocument:
      case MarkdownBlock::Kind::kItem:
      case MarkdownBlock::Kind::kRow:
      case MarkdownBlock::Kind::kCell:
        return Children(block, columns, Gap::kBlankLine);
    }
    return {};
  }

 private:
  enum class Gap { kNone, kBlankLine };

  Lines Children(const MarkdownBlock& block, size_t columns, Gap gap) const {
    Lines all;
    for (const MarkdownBlock& child : block.children) {
      if (gap == Gap::kBlankLine && !all.empty()) all.emplace_back();
      Lines lines = Block(child, columns);
      std::move(lines.begin(), lines.end(), std::back_inserter(all));
    }
    return all;
  }

  Lines Heading(const MarkdownBlock& block, size_t columns) const {
    StyledLine text;
    if (style_.colors == Colors::kNone) AddText(std::string(block.level, '#') + " ", {}, text);
    for (const StyledText& part : block.text) {
      AddText(part.text, HeadingStyle(block.level, part.style), text);
    }
    return WrapWords(text, columns);
  }

  Lines Quote(const MarkdownBlock& block, size_t columns) const {
    const StyledLine bar = Words(style_.unicode ? "│ " : "> ", kQuietStyle);
    if (columns < kMinTextColumns + 2) return Children(block, columns, Gap::kBlankLine);
    Lines lines = Children(block, columns - 2, Gap::kBlankLine);
    if (lines.empty()) lines.emplace_back();
    Indent(bar, bar, lines);
    return lines;
  }

  Lines List(const MarkdownBlock& block, size_t columns) const {
    Lines all;
    size_t number = block.number.value_or(0);
    for (const MarkdownBlock& item : block.children) {
      if (!block.tight && !all.empty()) all.emplace_back();
      Lines lines = Item(item, Marker(block, item, number++), columns, block.tight);
      std::move(lines.begin(), lines.end(), std::back_inserter(all));
    }
    return all;
  }

  std::string Marker(const MarkdownBlock& list, const MarkdownBlock& item, size_t number) const {
    std::string marker;
    if (list.number) marker = std::to_string(number) + ". ";
    if (item.task != MarkdownBlock::Task::kNone) {
      return marker + (item.task == MarkdownBlock::Task::kDone ? "[x] " : "[ ] ");
    }
    if (list.number) return marker;
    return style_.unicode ? "• " : "- ";
  }

  Lines Item(const MarkdownBlock& item, const std::string& marker, size_t columns,
             bool tight) const {
    const StyledLine first = Words(marker);
    const size_t margin = LineWidth(first);
    const bool deep = columns < margin + kMinTextColumns;
    Lines lines =
        Children(item, deep ? columns : columns - margin, tight ? Gap::kNone : Gap::kBlankLine);
    if (lines.empty()) lines.emplace_back();
    if (!deep) {
      Indent(first, Words(std::string(margin, ' ')), lines);
      return lines;
    }
    StyledLine start = first;
    AddLine(lines.front(), start);
    Lines start_lines = CutLine(start, columns);
    start_lines.insert(start_lines.end(), std::next(lines.begin()), lines.end());
    return start_lines;
  }

  Lines Code(const MarkdownBlock& block, size_t columns) const {
    CodeHighlighter highlighter(block.language);
    const size_t margin = columns < kMinTextColumns + kCodeMargin ? 0 : kCodeMargin;
    Lines all;
    std::string_view rest = block.code;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      Lines lines = CutLine(highlighter.Highlight(rest.substr(0, end)), columns - margin);
      std::move(lines.begin(), lines.end(), std::back_inserter(all));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const StyledLine spaces = Words(std::string(margin, ' '));
    Indent(spaces, spaces, all);
    return all;
  }

  const LayoutStyle& style_;
};

}  // namespace

std::vector<StyledLine> LayOut(const MarkdownBlock& block, size_t columns,
                               const LayoutStyle& style) {
  return TreeLayout(style).Block(block, columns);
}

void Indent(const StyledLine& first, const StyledLine& rest, std::vector<StyledLine>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    StyledLine line = i == 0 ? first : rest;
    AddLine(lines[i], line);
    lines[i] = std::move(line);
  }
}

StyledLine RuleLine(size_t columns, const LayoutStyle& style) {
  std::string text;
  for (size_t i = 0; i < columns; ++i) text += style.unicode ? "─" : "-";
  return Words(text, kQuietStyle);
}

}  // namespace cursor_chat::markdown
