#include "workspace/search/line_search.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "workspace/search/line_reader.h"

namespace cursorwire::workspace {
namespace {

constexpr size_t kBinaryCheckBytes = size_t{8} * 1024;

bool IsBinary(std::string_view start) {
  start = start.substr(0, kBinaryCheckBytes);
  return start.find('\0') != start.npos;
}

std::string_view WithoutEnd(std::string_view line) {
  if (!line.ends_with('\n')) return line;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Where the first match begins. 0 for a line that is shown as a whole: to look for the place takes
// longer.
std::optional<size_t> FirstMatch(const Pattern& pattern, std::string_view line,
                                 size_t max_line_bytes) {
  if (!pattern.Matches(line)) return std::nullopt;
  if (line.size() <= max_line_bytes) return 0;
  const std::optional<Pattern::Span> match = pattern.Find(line, 0);
  return match ? match->begin : 0;
}

// Finds the matches of a text one after the other, and tells which lines they touch.
class MatchedLines {
 public:
  MatchedLines(const Pattern& pattern, std::string_view text, const WorkLimit& limit)
      : pattern_(pattern), text_(text), limit_(limit), match_(pattern.Find(text, 0)) {}

  // Call for the lines in order: where in the line from `begin` to `end`, including its newline, is
  // the first match?
  std::optional<size_t> In(size_t begin, size_t end) {
    std::optional<size_t> first;
    while (match_ && match_->begin < end) {
      const bool touches = match_->begin >= begin || match_->end > begin;
      if (!first && touches) first = std::max(match_->begin, begin) - begin;
      if (match_->end > end) break;  // the match continues in the next line
      Advance();
    }
    return first;
  }

  bool interrupted() const { return interrupted_; }

 private:
  void Advance() {
    // Move on by a byte, or an empty match would be found again.
    const size_t from = std::max(match_->end, match_->begin + 1);
    interrupted_ = limit_.over();
    match_ = from > text_.size() || interrupted_ ? std::nullopt : pattern_.Find(text_, from);
  }

  const Pattern& pattern_;
  const std::string_view text_;
  const WorkLimit& limit_;
  std::optional<Pattern::Span> match_;
  bool interrupted_ = false;
};

// Reads the start of the file; true if that is the whole file.
absl::StatusOr<bool> ReadText(const OpenFile& file, const WorkLimit& limit, size_t max_bytes,
                              std::string& text) {
  LineReader reader(file, limit, max_bytes);
  for (;;) {
    const absl::StatusOr<std::optional<LineReader::Line>> line = reader.Next();
    if (!line.ok()) return line.status();
    if (!line->has_value()) return !reader.interrupted();
    const size_t room = max_bytes - text.size();
    text += (*line)->bytes.substr(0, room);
    if ((*line)->cut || (*line)->bytes.size() > room) return false;
  }
}

}  // namespace

absl::StatusOr<SearchEnd> SearchLines(const OpenFile& file, const Pattern& pattern,
                                      const WorkLimit& limit, LineCollector& lines) {
  LineReader reader(file, limit, std::min(kMaxSearchedLineBytes, pattern.max_text_bytes()));
  const absl::StatusOr<std::string_view> start = reader.Peek();
  if (!start.ok()) return start.status();
  if (IsBinary(*start)) return SearchEnd::kBinary;
  bool complete = true;
  for (int64_t number = 1;; ++number) {
    const absl::StatusOr<std::optional<LineReader::Line>> line = reader.Next();
    if (!line.ok()) return line.status();
    if (!line->has_value()) break;
    const std::string_view text = WithoutEnd((*line)->bytes);
    lines.Add(number, text, (*line)->cut, FirstMatch(pattern, text, lines.max_line_bytes()));
    complete = complete && !(*line)->cut;
  }
  return complete && !reader.interrupted() ? SearchEnd::kComplete : SearchEnd::kIncomplete;
}

absl::StatusOr<SearchEnd> SearchText(const OpenFile& file, const Pattern& pattern,
                                     const WorkLimit& limit, LineCollector& lines) {
  std::string text;
  const absl::StatusOr<bool> complete =
      ReadText(file, limit, std::min(kMaxSearchedTextBytes, pattern.max_text_bytes()), text);
  if (!complete.ok()) return complete.status();
  if (IsBinary(text)) return SearchEnd::kBinary;
  MatchedLines matched(pattern, text, limit);
  size_t begin = 0;
  for (int64_t number = 1; begin < text.size(); ++number) {
    const size_t newline = std::min(text.find('\n', begin), text.size() - 1);
    const std::string_view line = std::string_view(text).substr(begin, newline + 1 - begin);
    lines.Add(number, WithoutEnd(line), false, matched.In(begin, newline + 1));
    begin = newline + 1;
  }
  return *complete && !matched.interrupted() ? SearchEnd::kComplete : SearchEnd::kIncomplete;
}

}  // namespace cursorwire::workspace
