#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_TEXT_WIDTH_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_TEXT_WIDTH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace cursor_chat::markdown {

// One character as a reader sees it: a letter with its accents, or an emoji joined from several.
struct Cluster {
  std::string_view text;
  // Columns on a terminal: 0, 1 or 2.
  size_t columns = 0;
  // The same on a terminal that shows joined emoji side by side.
  size_t most_columns = 0;
};

// Removes the first cluster of `text`, which is not empty and is UTF-8 without control characters.
// An invalid byte is a cluster of one column. Does not depend on the locale.
Cluster TakeCluster(std::string_view& text);

// The columns of all clusters together.
size_t TextWidth(std::string_view text);
size_t MostTextWidth(std::string_view text);

// The text, with spaces after it if it has fewer columns.
std::string PadTo(std::string_view text, size_t columns);

// The clusters at the start that are one ASCII character each, and not the last of them if what
// follows may belong to it.
size_t AsciiRun(std::string_view text);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_TEXT_WIDTH_H_
