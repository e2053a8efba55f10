#include "collab/room_agent/region_answer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "base/text.h"

namespace cursorwire::room_agent {
namespace {

using AnswerLines = std::span<const std::string_view>;

bool IsBlankAnswerLine(std::string_view line) { return Trim(line).empty(); }

// Of a line of nothing but `=`, blanks behind it aside; 0: it is another one.
size_t DividerWidthOf(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  return line.find_first_not_of('=') == std::string_view::npos ? line.size() : 0;
}

struct RegionFence {
  char mark = 0;
  size_t width = 0;
  bool is_bare = false;  // nothing behind it
};

std::optional<RegionFence> RegionFenceOf(std::string_view line) {
  line = Trim(line);
  if (!line.starts_with("```") && !line.starts_with("~~~")) return std::nullopt;
  RegionFence fence{.mark = line.front()};
  fence.width = std::min(line.find_first_not_of(fence.mark), line.size());
  const std::string_view info = line.substr(fence.width);
  if (info.find(fence.mark) != std::string_view::npos) return std::nullopt;
  fence.is_bare = info.empty();
  return fence;
}

// The first line opens a fence which the last line closes, and none before.
bool IsFenced(AnswerLines lines) {
  if (lines.size() < 2) return false;
  const std::optional<RegionFence> outer = RegionFenceOf(lines.front());
  if (!outer) return false;
  size_t depth = 1;
  for (const std::string_view line : lines.subspan(1, lines.size() - 2)) {
    const std::optional<RegionFence> fence = RegionFenceOf(line);
    if (!fence || fence->mark != outer->mark) continue;
    if (!fence->is_bare) {
      ++depth;
    } else if (--depth == 0) {
      return false;
    }
  }
  const std::optional<RegionFence> last = RegionFenceOf(lines.back());
  return depth == 1 && last && last->is_bare && last->mark == outer->mark &&
         last->width >= outer->width;
}

AnswerLines WithoutBlankEnds(AnswerLines lines) {
  while (!lines.empty() && IsBlankAnswerLine(lines.front())) lines = lines.subspan(1);
  while (!lines.empty() && IsBlankAnswerLine(lines.back())) lines = lines.first(lines.size() - 1);
  return lines;
}

AnswerLines WithoutRemark(AnswerLines lines) {
  if (lines.size() < 2) return lines;
  const std::string_view last = Trim(lines.back());
  if (!last.starts_with('[') || !last.ends_with(']')) return lines;
  return WithoutBlankEnds(lines.first(lines.size() - 1));
}

AnswerLines WithoutWrapping(AnswerLines lines) {
  lines = WithoutBlankEnds(lines);
  const size_t all = lines.size();
  lines = WithoutRemark(lines);
  if (!IsFenced(lines)) return lines;
  lines = lines.subspan(1, lines.size() - 2);
  return lines.size() + 2 == all ? WithoutRemark(lines) : lines;
}

void AddRegion(AnswerLines lines, ParsedRegions& parsed) {
  if (std::all_of(lines.begin(), lines.end(), IsBlankAnswerLine)) return;
  if (parsed.regions.size() == kMaxRegions) {
    parsed.has_more = true;
    return;
  }
  const AnswerLines inner = WithoutBlankEnds(lines);
  if (IsFenced(inner)) lines = inner.subspan(1, inner.size() - 2);
  if (lines.empty()) return;
  parsed.regions.push_back({.lines = {lines.begin(), lines.end()}});
}

}  // namespace

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t feed = text.find('\n');
    lines.push_back(text.substr(0, feed));
    if (feed == std::string_view::npos) break;
    text.remove_prefix(feed + 1);
  }
  return lines;
}

RegionDividers::RegionDividers(std::string_view text) {
  for (const std::string_view line : LinesOf(text)) {
    const size_t width = DividerWidthOf(line);
    if (width >= kMinDividerWidth) taken_.push_back(width);
  }
  std::sort(taken_.begin(), taken_.end());
  taken_.erase(std::unique(taken_.begin(), taken_.end()), taken_.end());
}

bool RegionDividers::IsDivider(std::string_view line) const {
  const size_t width = DividerWidthOf(line);
  return width >= kMinDividerWidth && !std::binary_search(taken_.begin(), taken_.end(), width);
}

size_t RegionDividers::width() const {
  size_t width = kMinDividerWidth;
  for (const size_t taken : taken_) {
    if (taken == width) ++width;
  }
  return width;
}

ParsedRegions ParseRegions(std::string_view answer, const RegionDividers& dividers) {
  ParsedRegions parsed;
  const std::vector<std::string_view> all = LinesOf(answer);
  AnswerLines left = WithoutWrapping(all);
  while (!left.empty()) {
    const auto divider = std::find_if(left.begin(), left.end(), [&dividers](std::string_view line) {
      return dividers.IsDivider(line);
    });
    const auto size = static_cast<size_t>(divider - left.begin());
    AddRegion(left.first(size), parsed);
    left = left.subspan(std::min(size + 1, left.size()));
  }
  return parsed;
}

}  // namespace cursorwire::room_agent
