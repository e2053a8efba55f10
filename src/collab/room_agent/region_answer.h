#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_REGION_ANSWER_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_REGION_ANSWER_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace cursorwire::room_agent {

// Of one answer; further ones are not read.
inline constexpr size_t kMaxRegions = 100;
// `=` that a line between two regions has at least.
inline constexpr size_t kMinDividerWidth = 10;

// Which lines of `=` stand between regions: those of a width that no line of the text itself has,
// as headings of Markdown do.
class RegionDividers {
 public:
  explicit RegionDividers(std::string_view text);

  bool IsDivider(std::string_view line) const;
  // The least width that a model can use.
  size_t width() const;

 private:
  std::vector<size_t> taken_;  // ascending
};

// Lines without their line feeds, views of the answer.
struct Region {
  std::vector<std::string_view> lines{};
};

struct ParsedRegions {
  std::vector<Region> regions{};
  bool has_more = false;  // than kMaxRegions
};

// Takes fences, a remark in square brackets at the end, and empty regions off. `answer` must have
// no CR LF.
ParsedRegions ParseRegions(std::string_view answer, const RegionDividers& dividers);

// The lines of a text without their line feeds, as views of it.
std::vector<std::string_view> LinesOf(std::string_view text);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_REGION_ANSWER_H_
