#include "collab/room_agent/line_search.h"

#include <re2/re2.h>

#include <algorithm>

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
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxSearchMemoryBytes);
  const re2::RE2 program(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!program.ok()) return search;
  const int size = std::max({program.ProgramSize(), program.ReverseProgramSize(), 1});
  if (size > kMaxSearchProgramSize) return search;
  const size_t max_bytes = kMaxSearchSteps / static_cast<size_t>(size);

  for (size_t begin = 0; begin < text.size() && search.lines.size() < max_lines;) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > max_bytes) {
      search.is_complete = false;
      break;
    }
    size_t length = end - begin;
    if (length > 0 && text[end - 1] == '\r') --length;  // else `$` would not match
    if (program.Match({text.data() + begin, length}, 0, length, re2::RE2::UNANCHORED, nullptr, 0)) {
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
