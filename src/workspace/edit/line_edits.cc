#include "workspace/edit/line_edits.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace cursorwire::workspace {
namespace {

using Lines = std::vector<std::string_view>;
using Numbers = std::vector<int32_t>;

// Limit of removed and added lines together. Memory: at most 4 bytes for each pair of them.
constexpr int32_t kMaxChangedLines = 2000;
constexpr int64_t kMaxComparisons = 50'000'000;

// Gives equal lines equal numbers, so that comparing is cheap.
class LineNumbers {
 public:
  Numbers Of(const Lines& lines, size_t first, size_t count) {
    Numbers result;
    result.reserve(count);
    for (size_t i = first; i < first + count; ++i) {
      const auto next = static_cast<int32_t>(numbers_.size());
      result.push_back(numbers_.try_emplace(lines[i], next).first->second);
    }
    return result;
  }

 private:
  std::unordered_map<std::string_view, int32_t> numbers_;
};

// One line is added or removed after so many old and new lines.
struct Change {
  int32_t old_line = 0;
  int32_t new_line = 0;
  bool adds = false;
};

// The search of the paper: for each diagonal (old - new), how far a path with a given number of
// changes gets. `rounds_[d]` holds the diagonals from -d to d for d changes.
class EditSearch {
 public:
  EditSearch(const Numbers& old_lines, const Numbers& new_lines)
      : old_(old_lines), new_(new_lines) {}

  // False if there are more changes than the limit.
  bool Run() {
    for (int32_t changes = 0; changes <= kMaxChangedLines; ++changes) {
      if (Round(changes)) return true;
      if (comparisons_ > kMaxComparisons) return false;
    }
    return false;
  }

  // The changes along the path that was found, last one first.
  std::vector<Change> Changes() const {
    std::vector<Change> changes;
    int32_t diagonal = OldSize() - NewSize();
    for (auto round = static_cast<int32_t>(rounds_.size()) - 1; round > 0; --round) {
      const int32_t from = CameFrom(round, diagonal);
      const int32_t old_line = At(round - 1, from);
      changes.push_back(
          {.old_line = old_line, .new_line = old_line - from, .adds = from > diagonal});
      diagonal = from;
    }
    return changes;
  }

 private:
  int32_t OldSize() const { return static_cast<int32_t>(old_.size()); }
  int32_t NewSize() const { return static_cast<int32_t>(new_.size()); }

  int32_t At(int32_t round, int32_t diagonal) const {
    return rounds_[static_cast<size_t>(round)][static_cast<size_t>((diagonal + round) / 2)];
  }

  // The diagonal from which the best path came to this one by its last change.
  int32_t CameFrom(int32_t round, int32_t diagonal) const {
    const bool added = diagonal == -round || (diagonal != round && At(round - 1, diagonal - 1) <
                                                                       At(round - 1, diagonal + 1));
    return added ? diagonal + 1 : diagonal - 1;
  }

  // True once the ends of both texts are reached.
  bool Round(int32_t changes) {
    rounds_.emplace_back();
    rounds_.back().reserve(static_cast<size_t>(changes) + 1);
    for (int32_t diagonal = -changes; diagonal <= changes; diagonal += 2) {
      int32_t old_line = 0;
      if (changes > 0) {
        const int32_t from = CameFrom(changes, diagonal);
        old_line = At(changes - 1, from) + (from < diagonal ? 1 : 0);
      }
      old_line = Slide(old_line, diagonal);
      rounds_.back().push_back(old_line);
      if (old_line >= OldSize() && old_line - diagonal >= NewSize()) return true;
    }
    return false;
  }

  // Moves on along equal lines.
  int32_t Slide(int32_t old_line, int32_t diagonal) {
    int32_t new_line = old_line - diagonal;
    const int32_t start = old_line;
    while (old_line < OldSize() && new_line < NewSize() &&
           old_[static_cast<size_t>(old_line)] == new_[static_cast<size_t>(new_line)]) {
      ++old_line;
      ++new_line;
    }
    comparisons_ += old_line - start + 1;
    return old_line;
  }

  const Numbers& old_;
  const Numbers& new_;
  std::vector<Numbers> rounds_;
  int64_t comparisons_ = 0;
};

// Joins adjacent changes into edits. `skipped` equal lines precede them.
std::vector<LineEdit> JoinChanges(const std::vector<Change>& changes, size_t skipped) {
  std::vector<LineEdit> edits;
  for (size_t i = changes.size(); i-- > 0;) {
    const size_t old_line = skipped + static_cast<size_t>(changes[i].old_line);
    const size_t new_line = skipped + static_cast<size_t>(changes[i].new_line);
    const bool touches = !edits.empty() &&
                         edits.back().old_first + edits.back().old_count == old_line &&
                         edits.back().new_first + edits.back().new_count == new_line;
    if (!touches) edits.push_back({.old_first = old_line, .new_first = new_line});
    ++(changes[i].adds ? edits.back().new_count : edits.back().old_count);
  }
  return edits;
}

}  // namespace

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const size_t size = newline == text.npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

std::vector<LineEdit> FindEdits(const Lines& old_lines, const Lines& new_lines) {
  const size_t shorter = std::min(old_lines.size(), new_lines.size());
  size_t start = 0;
  while (start < shorter && old_lines[start] == new_lines[start]) ++start;
  size_t end = 0;
  while (end < shorter - start && *(old_lines.end() - 1 - static_cast<ptrdiff_t>(end)) ==
                                      *(new_lines.end() - 1 - static_cast<ptrdiff_t>(end))) {
    ++end;
  }
  const LineEdit whole{.old_first = start,
                       .old_count = old_lines.size() - start - end,
                       .new_first = start,
                       .new_count = new_lines.size() - start - end};
  if (whole.old_count == 0 && whole.new_count == 0) return {};
  if (whole.old_count == 0 || whole.new_count == 0) return {whole};
  LineNumbers numbers;
  const Numbers old_numbers = numbers.Of(old_lines, whole.old_first, whole.old_count);
  const Numbers new_numbers = numbers.Of(new_lines, whole.new_first, whole.new_count);
  EditSearch search(old_numbers, new_numbers);
  if (!search.Run()) return {whole};
  return JoinChanges(search.Changes(), start);
}

}  // namespace cursorwire::workspace
