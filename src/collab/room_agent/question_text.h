#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_QUESTION_TEXT_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_QUESTION_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "collab/room_agent/prompt_window.h"

namespace cursorwire::room_agent {

// How a model changes the text.
enum class Mode : uint8_t {
  kTools,    // it calls the line tools
  kRegions,  // it answers with what is to stand there
};

// Of a path that a model is shown; the rest is cut off.
inline constexpr size_t kMaxShownPathBytes = 1000;

// What a model is told once: who it is, how it answers, and what it must not take for an order.
// `divider_width`: see RegionDividers; only for kRegions.
std::string SystemText(Mode mode, size_t divider_width);

struct Question {
  Mode mode = Mode::kTools;
  std::string_view path{};
  std::string_view text{};  // the whole of it
  PromptWindow window{};
  uint32_t prompt_line = 0;
  std::string_view prompt{};
  // Stands in the lines around the text, so that no line of the text can pass for their end. Must
  // be new for each question, and nothing that a peer could guess.
  std::string_view nonce{};
};

// What a model is asked: the path, the part of the text that is shown, the prompt. In kTools each
// line has its number in front.
std::string UserText(const Question& question);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_QUESTION_TEXT_H_
