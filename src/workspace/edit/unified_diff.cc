#include "workspace/edit/unified_diff.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/strings.h"
#include "workspace/edit/line_edits.h"

namespace cursorwire::workspace {
namespace {

using Lines = std::vector<std::string_view>;

constexpr size_t kMaxDiffBytes = size_t{1024} * 1024;
constexpr size_t kMaxDiffLines = 200'000;  // of each side
constexpr size_t kContextLines = 3;

bool HasTooManyLines(std::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) >= kMaxDiffLines;
}

std::string ShownName(std::string_view name) {
  if (name.empty()) return "/dev/null";
  std::string result(name);
  for (char& c : result) {
    if ((c >= 0 && c < 0x20) || c == 0x7F) c = '?';
  }
  return result;
}

// The range of a hunk, such as "3,4": its first line, counted from 1, and the number of lines.
// Without lines, the line before them.
std::string HunkRange(size_t first, size_t count) {
  const size_t line = count == 0 ? first : first + 1;
  return count == 1 ? absl::StrCat(line) : absl::StrCat(line, ",", count);
}

// Writes hunks while there is room for them.
class DiffWriter {
 public:
  DiffWriter(const Lines& old_lines, const Lines& new_lines) : old_(old_lines), new_(new_lines) {}

  void Header(const DiffSide& old_side, const DiffSide& new_side) {
    absl::StrAppend(&text_, "--- ", ShownName(old_side.name), "\n+++ ", ShownName(new_side.name),
                    "\n");
  }

  // Writes edits [first, last), which share their context.
  void Hunk(const std::vector<LineEdit>& edits, size_t first, size_t last) {
    const LineEdit& start = edits[first];
    const LineEdit& end = edits[last - 1];
    const size_t before = std::min(kContextLines, start.old_first);
    const size_t old_end = end.old_first + end.old_count;
    const size_t after = std::min(kContextLines, old_.size() - old_end);
    const size_t new_end = end.new_first + end.new_count;
    absl::StrAppend(
        &text_, "@@ -",
        HunkRange(start.old_first - before, old_end + after - start.old_first + before), " +",
        HunkRange(start.new_first - before, new_end + after - start.new_first + before), " @@\n");
    size_t at = start.old_first - before;
    for (size_t i = first; i < last; ++i) {
      Add(' ', old_, at, edits[i].old_first - at);
      Add('-', old_, edits[i].old_first, edits[i].old_count);
      Add('+', new_, edits[i].new_first, edits[i].new_count);
      at = edits[i].old_first + edits[i].old_count;
    }
    Add(' ', old_, at, after);
  }

  bool full() const { return text_.size() > kMaxDiffBytes; }
  std::string Take() { return std::move(text_); }

 private:
  void Add(char mark, const Lines& lines, size_t first, size_t count) {
    for (size_t i = first; i < first + count && !full(); ++i) {
      text_ += mark;
      text_ += lines[i];
      if (!lines[i].ends_with('\n')) text_ += "\n\\ No newline at end of file\n";
    }
  }

  const Lines& old_;
  const Lines& new_;
  std::string text_;
};

}  // namespace

std::optional<std::string> UnifiedDiff(const DiffSide& old_side, const DiffSide& new_side) {
  if (HasTooManyLines(old_side.text) || HasTooManyLines(new_side.text)) return std::nullopt;
  const Lines old_lines = SplitLines(old_side.text);
  const Lines new_lines = SplitLines(new_side.text);
  const std::vector<LineEdit> edits = FindEdits(old_lines, new_lines);
  DiffWriter writer(old_lines, new_lines);
  if (!edits.empty()) writer.Header(old_side, new_side);
  for (size_t first = 0; first < edits.size() && !writer.full();) {
    size_t last = first + 1;
    while (last < edits.size() &&
           edits[last].old_first - (edits[last - 1].old_first + edits[last - 1].old_count) <=
               2 * kContextLines) {
      ++last;
    }
    writer.Hunk(edits, first, last);
    first = last;
  }
  if (writer.full()) return std::nullopt;
  return writer.Take();
}

}  // namespace cursorwire::workspace
