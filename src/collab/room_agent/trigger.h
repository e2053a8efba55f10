#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_TRIGGER_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_TRIGGER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::room_agent {

// Of a prompt, in code points; the rest is cut off.
inline constexpr size_t kMaxPromptCharacters = 8000;

// A line of a text that asks the agent for something.
struct Trigger {
  uint32_t at = 0;     // byte of the `@` in the line
  std::string prompt;  // never empty
};

// The first `@name` of the line that stands for itself, and what is asked behind it:
// docs/collab/room-agent.md, "Trigger". `line` is without its line feed, in UTF-8; an empty `name`
// finds nothing.
std::optional<Trigger> FindTrigger(std::string_view line, std::string_view name);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_TRIGGER_H_
