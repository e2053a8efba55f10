#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_STYLED_LINE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_STYLED_LINE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "markdown/colors.h"

namespace cursor_chat::markdown {

// kFaint is the default color, less bright: some palettes have no grey that can be seen.
enum class TextColor { kDefault, kRed, kGreen, kYellow, kMagenta, kCyan, kFaint };

struct TextStyle {
  bool bold = false;
  bool italic = false;
  bool underline = false;
  bool strike = false;
  TextColor color = TextColor::kDefault;

  bool operator==(const TextStyle&) const = default;
};

struct StyledText {
  std::string text;
  TextStyle style;
};

// The text of one line, or of a paragraph before it is wrapped: then "\n" is a line break.
using StyledLine = std::vector<StyledText>;

// Adds to the end, to the last part if that has the same style.
void AddText(std::string_view text, const TextStyle& style, StyledLine& line);
void AddLine(const StyledLine& more, StyledLine& line);

size_t LineWidth(const StyledLine& line);

// Breaks a text into lines of at most `columns` columns (2 or more), between words and between wide
// characters; a word that is too long for a line is cut. Returns at least one line. Also fits where
// joined emoji are shown side by side.
std::vector<StyledLine> WrapWords(const StyledLine& text, size_t columns);

// Cuts a line into pieces of at most `columns` columns (2 or more), anywhere between two clusters.
// Returns at least one piece. The line has no "\n". Also fits where joined emoji are shown side by
// side.
std::vector<StyledLine> CutLine(const StyledLine& line, size_t columns);

// The bytes that show the line, without a newline. Spaces at its end are left out.
std::string Paint(StyledLine line, Colors colors);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_STYLED_LINE_H_
