#ifndef CURSORWIRE_APPS_COMMON_MAN_TEXT_H_
#define CURSORWIRE_APPS_COMMON_MAN_TEXT_H_

#include <string>
#include <string_view>

#include "common/option_info.h"

namespace cursor_apps {

// Pieces of a man page in the language of man(7).

// As text: what troff would take for a command or a dash of typography is escaped. For one line.
std::string Roff(std::string_view text);
// The same in bold, and in italics.
std::string RoffBold(std::string_view text);
std::string RoffItalic(std::string_view text);

// The beginning of the page of that program: its title, and the section NAME with `description`,
// which is one line.
std::string RoffTitle(std::string_view program, std::string_view version,
                      std::string_view description);

// A paragraph: the names and the type of the option, then what it does.
std::string RoffOption(const OptionInfo& option);

// Paragraphs as they are, indented lines as examples.
std::string RoffParagraphs(std::string_view text);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_MAN_TEXT_H_
