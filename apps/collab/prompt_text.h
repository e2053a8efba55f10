#ifndef CURSORWIRE_APPS_COLLAB_PROMPT_TEXT_H_
#define CURSORWIRE_APPS_COLLAB_PROMPT_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace cursor_collab {

// What the agent sees of a text around a place. Source: docs/collab/presence.md, "What the agent
// sees".
struct TextWindow {
  std::string_view before{};    // up to the place
  std::string_view replaced{};  // what the answer takes the place of; often empty
  std::string_view after{};
  size_t first_line = 1;  // of the window, from 1
  size_t last_line = 1;
  size_t lines = 1;  // of the whole text
};

// All of a short text; of a long one so much on both sides of the bytes from `begin` to `end`, both
// at characters, grown to whole lines.
TextWindow WindowAround(std::string_view text, size_t begin, size_t end);

// What the agent is told of its task.
std::string SystemText();

// The question to the agent: what it is to write into the document, and where. `fence` is a word
// that the text does not contain.
std::string PromptText(const TextWindow& window, std::string_view document, std::string_view prompt,
                       std::string_view fence);

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_PROMPT_TEXT_H_
