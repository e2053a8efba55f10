#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SEARCH_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cursorwire::room_agent {

inline constexpr size_t kMaxSearchPatternBytes = 1000;

struct LineSearch {
  std::vector<uint32_t> lines{};  // where they begin, in bytes, ascending
  bool is_complete = true;        // false: there may be more, in text that was not searched
};

// The first `max_lines` lines of a text in which a pattern begins: as plain text, which may have
// line feeds in it; if it does not occur, as a regular expression of RE2 in each line. Case counts.
// An empty pattern, or one over kMaxSearchPatternBytes, occurs nowhere; one that RE2 does not take
// is looked for as plain text alone.
LineSearch SearchLines(std::string_view text, std::string_view pattern, size_t max_lines);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SEARCH_H_
