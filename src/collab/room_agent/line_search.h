#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SEARCH_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cursorwire::room_agent {

inline constexpr size_t kMaxSearchPatternBytes = 1000;
// Of a program of RE2, in instructions, and of the memory for it and its states. A larger pattern
// is only looked for as plain text.
inline constexpr int kMaxSearchProgramSize = 5000;
inline constexpr int64_t kMaxSearchMemoryBytes = int64_t{8} << 20;
// Bytes of text times instructions: if the states do not fit into memory, each byte runs through
// each instruction, for about 5 ns. The text behind it is not searched by RE2.
inline constexpr size_t kMaxSearchSteps = 400'000'000;

struct LineSearch {
  std::vector<uint32_t> lines{};  // where they begin, in bytes, ascending
  bool is_complete = true;        // false: there may be more, in text that was not searched
};

// The first `max_lines` lines of a text in which a pattern begins: as plain text, which may have
// line feeds in it; if it does not occur, as a regular expression of RE2 in each line. Case counts.
// An empty pattern, or one over kMaxSearchPatternBytes, occurs nowhere.
LineSearch SearchLines(std::string_view text, std::string_view pattern, size_t max_lines);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SEARCH_H_
