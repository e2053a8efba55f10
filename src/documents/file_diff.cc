#include "documents/file_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace cursorwire::documents {
namespace {

// Length of the whole lines that both texts begin with. The last line of a text may have no line
// end.
size_t CommonStart(std::string_view a, std::string_view b) {
  const auto [end, unused] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto length = static_cast<size_t>(end - a.begin());
  if (length == a.size() && length == b.size()) return length;
  const size_t line = a.substr(0, length).rfind('\n');
  return line == std::string_view::npos ? 0 : line + 1;
}

// Length of the whole lines that both texts end with.
size_t CommonEnd(std::string_view a, std::string_view b) {
  const auto [end, unused] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  const auto length = static_cast<size_t>(end - a.rbegin());
  // A text as a whole is whole lines, too.
  const auto begins_line = [length](std::string_view text) {
    return length == text.size() || text[text.size() - length - 1] == '\n';
  };
  if (begins_line(a) && begins_line(b)) return length;
  const std::string_view common = a.substr(a.size() - length);
  const size_t line = common.find('\n');
  return line == std::string_view::npos ? 0 : length - line - 1;
}

int32_t CountLines(std::string_view text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  const auto lines = ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
  return static_cast<int32_t>(std::min<ptrdiff_t>(lines, std::numeric_limits<int32_t>::max() / 2));
}

}  // namespace

FileDiff DiffOf(std::string_view before, std::string_view after) {
  const size_t start = CommonStart(before, after);
  const size_t end = CommonEnd(before.substr(start), after.substr(start));
  const std::string_view gone = before.substr(start, before.size() - start - end);
  const int32_t first = CountLines(before.substr(0, start)) + 1;
  return {.old_string = std::string(gone),
          .new_string = std::string(after.substr(start, after.size() - start - end)),
          .start_line = first,
          .end_line = first + CountLines(gone) - 1};
}

}  // namespace cursorwire::documents
