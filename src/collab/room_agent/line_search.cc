#include "collab/room_agent/line_search.h"

#include <absl/status/statusor.h>

#include <algorithm>
#include <string>

#include "pattern/pattern.h"

namespace cursorwire::room_agent {
namespace {

std::vector<uint32_t> FindPlain(std::string_view text, std::string_view pattern, size_t max_lines) {
  std::vector<uint32_t> lines;
  for (size_t from = 0; lines.size() < max_lines;) {
    const size_t at = text.find(pattern, from);
    if (at == std::string_view::npos) break;
    const size_t feed = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    lines.push_back(feed == std::string_view::npos ? 0 : static_cast<uint32_t>(feed + 1));
    from = text.find('\n', at);
    if (from == std::string_view::npos) break;
    ++from;
  }
  return lines;
}

LineSearch FindExpression(std::string_view text, std::string_view pattern, size_t max_lines) {
  LineSearch search;
  const absl::StatusOr<Pattern> program = Pattern::Compile(std::string(pattern), {});
  if (!program.ok()) return search;
  const size_t max_bytes = program->max_text_bytes();

  for (size_t begin = 0; begin < text.size() && search.lines.size() < max_lines;) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > max_bytes) {
      search.is_complete = false;
      break;
    }
    size_t length = end - begin;
    if (length > 0 && text[end - 1] == '\r') --length;  // else `$` would not match
    if (program->Matches(text.substr(begin, length))) {
      search.lines.push_back(static_cast<uint32_t>(begin));
    }
    begin = end + 1;
  }
  return search;
}

}  // namespace

LineSearch SearchLines(std::string_view text, std::string_view pattern, size_t max_lines) {
  LineSearch search;
  if (pattern.empty() || pattern.size() > kMaxSearchPatternBytes || max_lines == 0) return search;
  search.lines = FindPlain(text, pattern, max_lines);
  if (search.lines.empty()) search = FindExpression(text, pattern, max_lines);
  return search;
}

}  // namespace cursorwire::room_agent
