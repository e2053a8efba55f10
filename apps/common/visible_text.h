#ifndef CURSORWIRE_APPS_COMMON_VISIBLE_TEXT_H_
#define CURSORWIRE_APPS_COMMON_VISIBLE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_apps {

// The agent's text is untrusted: on a terminal, control characters in it could erase what is there
// and write something else in its place. These functions replace such a character by <U+001B> and
// the like, and a byte that is not UTF-8 by <0xFF> and the like.

// For text that the user reads. Newlines and tabs stay.
std::string VisibleText(std::string_view text);

// For text that the user decides about: nothing in it stays invisible. Also shows characters that
// have no shape of their own or that change the order of others, such as zero-width spaces,
// combining accents, and the marks of scripts written from right to left. Newlines and tabs stay.
std::string ExactText(std::string_view text);

// The same on one line: shows newlines and tabs too.
std::string ExactLine(std::string_view text);

// Where the first byte is that belongs to no character of UTF-8; npos: there is none.
size_t FindNonUtf8(std::string_view text);

// Removes an incomplete character at the end, which cutting a text may leave.
void CutToWholeCharacters(std::string& text);

// Cuts a visible text of one line into pieces of at most `columns` columns; returns at least one
// piece. Characters that are not ASCII count as two columns, so that no terminal wraps a piece
// again. Tabs become spaces.
std::vector<std::string> WrapLine(std::string_view line, size_t columns);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_VISIBLE_TEXT_H_
