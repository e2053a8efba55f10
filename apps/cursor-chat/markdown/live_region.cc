#include "markdown/live_region.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "markdown/text_width.h"

namespace cursor_chat::markdown {
namespace {

using Strings = std::vector<std::string>;

// Leaves out the lines that the screen does not hold, and returns their number.
size_t HideUpperLines(Strings& open, size_t rows) {
  const size_t shown = std::max<size_t>(rows, 2) - 1;
  const size_t hidden = open.size() - std::min(open.size(), shown);
  open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(hidden));
  return hidden;
}

}  // namespace

std::string LiveRegion::Draw(const Strings& settled, Strings open) {
  const size_t hidden = HideUpperLines(open, rows_);
  Strings lines = settled;
  lines.insert(lines.end(), open.begin(), open.end());
  const bool keeps_window = hidden == hidden_ && (hidden == 0 || settled.empty());
  size_t from = Unchanged(lines, keeps_window);
  std::string bytes;
  if (OnlyGrows(lines, from)) bytes += lines[from++].substr(drawn_.back().size());
  if (from < drawn_.size()) {
    bytes += GoTo(from);
  } else if (from > 0 && from < lines.size()) {
    bytes += '\n';
  }
  bytes += Overwrite(lines, from);
  if (open.empty() && !lines.empty()) bytes += '\n';
  drawn_ = std::move(open);
  hidden_ = hidden;
  moved_ = false;
  return bytes;
}

void LiveRegion::Resize(std::optional<size_t> wrapped_at, size_t rows) {
  rows_ = rows;
  wrapped_at_ = wrapped_at;
  moved_ = !drawn_.empty();
}

size_t LiveRegion::Unchanged(const Strings& lines, bool keeps_window) const {
  if (moved_ || !keeps_window) return 0;
  const auto [drawn, line] =
      std::mismatch(drawn_.begin(), drawn_.end(), lines.begin(), lines.end());
  const auto same = static_cast<size_t>(std::distance(drawn_.begin(), drawn));
  // If there are fewer lines than before, the last of them is drawn again, to end after it.
  return lines.size() < drawn_.size() && same == lines.size() && same > 0 ? same - 1 : same;
}

// Whether nothing before the cursor has changed, and the next line to write continues the one where
// the cursor is. With other than ASCII, more could become one character with what is there.
bool LiveRegion::OnlyGrows(const Strings& lines, size_t from) const {
  if (moved_ || from + 1 != drawn_.size() || from >= lines.size()) return false;
  const std::string& line = lines[from];
  const size_t old = drawn_.back().size();
  return line.size() > old && line.starts_with(drawn_.back()) &&
         static_cast<unsigned char>(line[old]) < 0x80;
}

// The cursor is after the last of the drawn lines: moves it to the start of one.
std::string LiveRegion::GoTo(size_t line) const {
  const auto first = drawn_.begin() + static_cast<std::ptrdiff_t>(line);
  const size_t height =
      std::accumulate(first, drawn_.end(), size_t{0},
                      [this](size_t sum, const std::string& drawn) { return sum + RowsOf(drawn); });
  const size_t up = std::min(height - 1, std::max<size_t>(rows_, 1) - 1);
  return up > 0 ? "\r\x1b[" + std::to_string(up) + "A" : "\r";
}

// How many rows of the screen a line takes. Its escape sequences are colours.
size_t LiveRegion::RowsOf(std::string_view line) const {
  if (!moved_ || !wrapped_at_) return 1;
  size_t rows = 1;
  size_t column = 0;
  while (!line.empty()) {
    if (line[0] == '\x1b') {
      line.remove_prefix(std::min(line.find('m'), line.size() - 1) + 1);
      continue;
    }
    const size_t width = TakeCluster(line).columns;
    const bool fits = column + width <= *wrapped_at_;
    rows += fits ? 0 : 1;
    column = fits ? column + width : width;
  }
  return rows;
}

// Writes the lines from `from` on, where the cursor is, and erases what was there. Line by line,
// since some terminals keep a copy of a screen that is erased as a whole.
std::string LiveRegion::Overwrite(const Strings& lines, size_t from) const {
  std::string bytes;
  for (size_t i = from; i < lines.size(); ++i) {
    if (i > from) bytes += '\n';
    if (i < drawn_.size() || moved_) bytes += "\x1b[K";
    bytes += lines[i];
  }
  if (lines.size() < drawn_.size() || moved_) bytes += "\x1b[J";
  return bytes;
}

}  // namespace cursor_chat::markdown
