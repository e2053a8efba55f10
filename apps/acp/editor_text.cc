#include "acp/editor_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/visible_text.h"

namespace cursor_acp {
namespace {

// The places where lines begin.
std::vector<size_t> LineStarts(std::string_view text) {
  std::vector<size_t> starts;
  for (size_t start = 0; start < text.size();) {
    starts.push_back(start);
    const size_t end = text.find('\n', start);
    if (end == text.npos) break;
    start = end + 1;
  }
  return starts;
}

// The index of the line that an offset means: 1 is the first line, -1 the last.
size_t FirstLine(int32_t offset, size_t lines) {
  if (offset > 0) return static_cast<size_t>(offset) - 1;
  const auto back = static_cast<size_t>(-static_cast<int64_t>(offset));
  return offset == 0 || back > lines ? 0 : lines - back;
}

}  // namespace

cursorwire::ReadOutput ReadOfText(const cursorwire::ReadArgs& args, const std::string& text) {
  const std::vector<size_t> starts = LineStarts(text);
  cursorwire::ReadOutput output{.path = args.path,
                                .content = text,
                                .total_lines = static_cast<int64_t>(starts.size()),
                                .file_bytes = static_cast<int64_t>(text.size())};
  const size_t limit = args.limit.value_or(0);  // 0: no limit
  if (args.offset || limit > 0) {
    const size_t first = std::min(FirstLine(args.offset.value_or(1), starts.size()), starts.size());
    const size_t count = limit > 0 ? limit : starts.size();
    const size_t last = count < starts.size() - first ? first + count : starts.size();
    const size_t begin = first < starts.size() ? starts[first] : text.size();
    const size_t end = last < starts.size() ? starts[last] : text.size();
    output.content = text.substr(begin, end - begin);
    output.range_applied = true;
  }
  if (output.content.size() > kMaxEditorReadBytes) {
    output.content.resize(kMaxEditorReadBytes);
    cursor_apps::CutToWholeCharacters(output.content);
    output.truncated = true;
  }
  return output;
}

}  // namespace cursor_acp
