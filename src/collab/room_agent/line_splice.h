#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SPLICE_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SPLICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::room_agent {

// Lines as a model writes them, as UTF-8 without the last line feed: "\r\n" becomes "\n", and one
// line feed at the end is left out. nullopt: "", which is no line.
std::optional<std::string> NormalizeLines(std::string_view content);

// How many lines a text has: its line feeds, and one more if it does not end in one.
uint32_t CountLines(std::string_view text);

// An edit of a text, in bytes.
struct LineSplice {
  uint32_t at = 0;
  uint32_t count = 0;
  std::string text{};
  // Where the new lines stand after the edit, without their last line feed. Without new lines, both
  // are the place of the edit.
  uint32_t begin = 0;
  uint32_t end = 0;

  bool empty() const { return count == 0 && text.empty(); }
};

// A range of a text that stands for whole lines: it ends behind their last line feed, or where
// there is none. A range of no bytes is a place for lines.
struct ByteRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Puts lines, as of NormalizeLines(), in place of a range; nullopt: takes them out. No line is
// joined with another: where the range does not begin or end with a line, line feeds are added.
// A text that does not end in a line feed stays so, unless its last line becomes an empty one.
// `ends_open`: what the text was like before it was empty.
LineSplice SpliceLines(std::string_view text, ByteRange range,
                       const std::optional<std::string>& lines, bool ends_open);

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_SPLICE_H_
