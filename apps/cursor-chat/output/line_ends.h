#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_LINE_ENDS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_LINE_ENDS_H_

#include <string>
#include <string_view>

namespace cursor_chat {

// Makes the lines of an answer end as those of a terminal do: takes the carriage return out that
// stands before a newline, at whatever points the text is cut. At the end of the text, one is left
// out too. Thread-compatible.
class LineEnds {
 public:
  std::string Add(std::string_view text) {
    std::string shown;
    shown.reserve(text.size() + 1);
    for (const char c : text) {
      if (held_ && c != '\n') shown += '\r';
      held_ = c == '\r';
      if (!held_) shown += c;
    }
    return shown;
  }
  // The text is over.
  void Finish() { held_ = false; }

 private:
  bool held_ = false;  // a carriage return came last
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_LINE_ENDS_H_
