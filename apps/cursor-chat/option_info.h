#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OPTION_INFO_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OPTION_INFO_H_

#include <string>
#include <vector>

namespace cursor_chat {

// What --help, the man page and the completions of shells say of an option. A value.
struct OptionInfo {
  std::vector<std::string> names{};  // with their dashes, the short ones first
  std::string type{};                // "FILE", or "text|json"; empty: a flag
  std::string description{};         // without line breaks

  // The words of a type such as "text|json"; empty: it is no list of words.
  std::vector<std::string> choices() const;
  bool takes_file() const {
    return type == "FILE" || type == "PEM" || type == "DIR" || type == "PATH";
  }
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OPTION_INFO_H_
