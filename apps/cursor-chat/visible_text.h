#ifndef CURSORWIRE_APPS_CURSOR_CHAT_VISIBLE_TEXT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_VISIBLE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat {

// Text of the agent is text of a stranger: on a terminal, control characters in it could erase what
// stands there and write another thing in its place. All of these show such a character as <U+001B>
// in its place, and a byte that is no UTF-8 as <0xFF>.

// For reading. Newlines and tabs stay.
std::string VisibleText(std::string_view text);

// For a decision: what is seen is all there is. Also shows what has no shape of its own or changes
// the order of others, such as spaces of no width, accents that combine, and the marks of scripts
// written from right to left. Newlines and tabs stay.
std::string ExactText(std::string_view text);

// The same on one line: newlines and tabs show, too.
std::string ExactLine(std::string_view text);

// Takes off the part of a character at the end, as a cut leaves it.
void CutToWholeCharacters(std::string& text);

// Cuts a visible text of one line into pieces of at most `columns` columns; there is at least one.
// Whatever is not ASCII counts as two, so that no terminal wraps a piece once more. Tabs become
// spaces.
std::vector<std::string> WrapLine(std::string_view line, size_t columns);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_VISIBLE_TEXT_H_
