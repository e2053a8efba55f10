#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_PROMPT_WINDOW_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_PROMPT_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cursorwire::room_agent {

// All in UTF-16 units. A text up to this is sent as a whole,
inline constexpr size_t kMaxWholeText = 24'000;
// else so much on each side of the prompt's end,
inline constexpr size_t kWindowSide = 12'000;
// and from there on at most so much to the next border of lines. So it is 32,000 at most.
inline constexpr size_t kMaxWindowGrowth = 4'000;

// The part of a text that a model is shown. Bytes, and lines from 1.
struct PromptWindow {
  size_t begin = 0;
  size_t end = 0;
  uint32_t first_line = 0;  // both 0 for an empty text
  uint32_t last_line = 0;
  uint32_t line_count = 0;  // of the whole text
  // The first, or last, of its lines is longer than what is shown of it.
  bool cuts_first_line = false;
  bool cuts_last_line = false;

  bool is_whole(std::string_view text) const { return begin == 0 && end == text.size(); }
};

// `prompt_end`: the byte behind the prompt, at most text.size(). `text` is UTF-8; where a line is
// cut, no character is torn, nor a combining mark from its letter.
PromptWindow FindPromptWindow(std::string_view text, size_t prompt_end);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_PROMPT_WINDOW_H_
