#include "markdown/table_layout.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cursor_chat::markdown {
namespace {

// A column of a table is not made narrower than this.
constexpr size_t kMinCellColumns = 6;
constexpr size_t kSeparatorColumns = 3;  // " | "
constexpr TextStyle kGridStyle{.color = TextColor::kFaint};

using Widths = std::vector<size_t>;

size_t Sum(const Widths& widths) { return std::accumulate(widths.begin(), widths.end(), size_t{}); }

// The widest line of each column.
Widths NaturalWidths(const MarkdownBlock& table) {
  Widths widths;
  for (const MarkdownBlock& row : table.children) {
    widths.resize(std::max(widths.size(), row.children.size()), 1);
    for (size_t i = 0; i < row.children.size(); ++i) {
      widths[i] = std::max(widths[i], LineWidth(row.children[i].text));
    }
  }
  return widths;
}

// Makes the widest columns narrower until all of them fit; nullopt if they cannot.
std::optional<Widths> FittingWidths(Widths widths, size_t columns) {
  if (widths.empty()) return std::nullopt;
  const size_t separators = kSeparatorColumns * (widths.size() - 1);
  if (separators >= columns) return std::nullopt;
  const size_t room = columns - separators;
  size_t widest = *std::max_element(widths.begin(), widths.end());
  Widths fitting = widths;
  while (Sum(fitting) > room) {
    if (--widest < kMinCellColumns) return std::nullopt;
    for (size_t i = 0; i < widths.size(); ++i) fitting[i] = std::min(widths[i], widest);
  }
  // What rounding left over goes to the first columns that want it.
  for (size_t i = 0, left = room - Sum(fitting); i < widths.size() && left > 0; ++i) {
    if (fitting[i] == widths[i]) continue;
    ++fitting[i];
    --left;
  }
  return fitting;
}

StyledLine Aligned(const StyledLine& cell, size_t columns, MarkdownBlock::Align align) {
  const size_t width = LineWidth(cell);
  const size_t space = columns > width ? columns - width : 0;
  size_t before = 0;
  if (align == MarkdownBlock::Align::kRight) before = space;
  if (align == MarkdownBlock::Align::kCenter) before = space / 2;
  StyledLine result;
  AddText(std::string(before, ' '), {}, result);
  AddLine(cell, result);
  AddText(std::string(space - before, ' '), {}, result);
  return result;
}

StyledLine Bold(const StyledLine& line) {
  StyledLine result;
  for (const StyledText& part : line) {
    TextStyle style = part.style;
    style.bold = true;
    AddText(part.text, style, result);
  }
  return result;
}

class Grid {
 public:
  Grid(Widths widths, const LayoutStyle& style) : widths_(std::move(widths)), style_(style) {}

  std::vector<StyledLine> Lines(const MarkdownBlock& table) const {
    std::vector<std::vector<StyledLine>> rows;
    bool wrapped = false;
    for (const MarkdownBlock& row : table.children) {
      rows.push_back(Row(row, rows.empty()));
      wrapped = wrapped || (rows.size() > 1 && rows.back().size() > 1);
    }
    std::vector<StyledLine> lines;
    for (size_t i = 0; i < rows.size(); ++i) {
      // Rows of several lines need something between them.
      if (i == 1 || (i > 1 && wrapped)) lines.push_back(Rule());
      std::move(rows[i].begin(), rows[i].end(), std::back_inserter(lines));
    }
    if (rows.size() == 1) lines.push_back(Rule());
    return lines;
  }

 private:
  std::vector<StyledLine> Row(const MarkdownBlock& row, bool head) const {
    std::vector<std::vector<StyledLine>> cells;
    size_t height = 1;
    for (size_t i = 0; i < row.children.size(); ++i) {
      const StyledLine text = head ? Bold(row.children[i].text) : row.children[i].text;
      const bool fits = LineWidth(text) <= widths_[i];
      cells.push_back(fits ? std::vector<StyledLine>{text} : WrapWords(text, widths_[i]));
      height = std::max(height, cells.back().size());
    }
    std::vector<StyledLine> lines(height);
    for (size_t y = 0; y < height; ++y) {
      for (size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) AddText(style_.unicode ? " │ " : " | ", kGridStyle, lines[y]);
        const StyledLine part = y < cells[i].size() ? cells[i][y] : StyledLine{};
        AddLine(Aligned(part, widths_[i], row.children[i].align), lines[y]);
      }
    }
    return lines;
  }

  StyledLine Rule() const {
    const std::string_view line = style_.unicode ? "─" : "-";
    std::string text;
    for (size_t i = 0; i < widths_.size(); ++i) {
      if (i > 0) text.append(line).append(style_.unicode ? "┼" : "+").append(line);
      for (size_t x = 0; x < widths_[i]; ++x) text += line;
    }
    StyledLine rule;
    AddText(text, kGridStyle, rule);
    return rule;
  }

  const Widths widths_;
  const LayoutStyle& style_;
};

// The names of the columns, cut to about two lines, since each row repeats them.
std::vector<StyledLine> Names(const MarkdownBlock& head, size_t columns, const LayoutStyle& style) {
  std::vector<StyledLine> names;
  for (const MarkdownBlock& cell : head.children) {
    std::vector<StyledLine> parts = CutLine(Bold(cell.text), 2 * columns);
    if (parts.size() > 1) AddText(style.unicode ? "…" : "...", {}, parts[0]);
    names.push_back(std::move(parts[0]));
  }
  return names;
}

std::vector<StyledLine> RowsAsLists(const MarkdownBlock& table, size_t columns,
                                    const LayoutStyle& style) {
  const std::vector<StyledLine> names = Names(table.children[0], columns, style);
  std::vector<StyledLine> all;
  for (size_t i = 1; i < table.children.size(); ++i) {
    if (i > 1) all.push_back(RuleLine(columns, style));
    const std::vector<MarkdownBlock>& cells = table.children[i].children;
    for (size_t cell = 0; cell < std::min(cells.size(), names.size()); ++cell) {
      StyledLine line = names[cell];
      AddText(": ", {}, line);
      AddLine(cells[cell].text, line);
      std::vector<StyledLine> lines = WrapWords(line, columns);
      std::move(lines.begin(), lines.end(), std::back_inserter(all));
    }
  }
  return all;
}

// The head alone, while its rows have not come.
StyledLine HeadLine(const MarkdownBlock& head) {
  StyledLine line;
  for (const MarkdownBlock& cell : head.children) {
    AddText(line.empty() ? "" : ", ", {}, line);
    AddLine(Bold(cell.text), line);
  }
  return line;
}

}  // namespace

std::vector<StyledLine> LayOutTable(const MarkdownBlock& table, size_t columns,
                                    const LayoutStyle& style) {
  if (table.children.empty()) return {};
  if (std::optional<Widths> widths = FittingWidths(NaturalWidths(table), columns)) {
    return Grid(*std::move(widths), style).Lines(table);
  }
  if (table.children.size() == 1) return WrapWords(HeadLine(table.children[0]), columns);
  return RowsAsLists(table, columns, style);
}

}  // namespace cursor_chat::markdown
