#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_PREVIEW_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_PREVIEW_H_

#include <string>
#include <string_view>

// How the last line is shown while it is not complete.
namespace cursor_chat::markdown {

// Whether the line has so far only characters that mark what a line is, such as "##", "1." or
// "```": it is shown when that is known. Also of an empty line.
bool MayBecomeMark(std::string_view line);

// Closes the inline code and the strong text that the line has opened, so that they are shown as
// such before their end has come.
std::string WithMarksClosed(std::string_view line);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_PREVIEW_H_
