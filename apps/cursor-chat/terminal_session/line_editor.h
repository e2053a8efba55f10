#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_LINE_EDITOR_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_LINE_EDITOR_H_

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "terminal_session/completion.h"

namespace cursor_chat {

// What the user entered.
struct Entry {
  enum class Kind {
    kText,
    kInterrupted,  // Ctrl-C; `text` is what was on the line
    kEnd,          // Ctrl-D on an empty line, or the terminal is gone
  };
  Kind kind = Kind::kText;
  std::string text{};  // UTF-8; several lines have newlines between them
  // The same as it stood on the screen: with a word in the place of each long paste.
  std::string shown{};
};

// A paste of more lines stands in the line as one word, which the text takes the place of when the
// line is entered.
inline constexpr size_t kMaxPastedLines = 8;
// So does an entry of more lines that the arrow keys bring back.
inline constexpr size_t kMaxRecalledLines = 50;

// Reads prompts from the terminal on standard input and output, with libedit: editing, history with
// the arrow keys and Ctrl-R, completion with Tab. Several lines: a line that ends with a backslash,
// Alt-Enter, Ctrl-J, or a paste. At most one at a time. Thread-compatible; nothing else may write
// to the terminal during Read().
class LineEditor {
 public:
  using Completer = std::function<Completion(std::string_view before)>;
  // Bracketed paste: the terminal says where a paste begins and ends. A dumb one cannot.
  enum class Paste { kPlain, kBracketed };

  //   kUnavailable  the terminal cannot be used
  static absl::StatusOr<std::unique_ptr<LineEditor>> Create(Completer completer, Paste paste);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Shows the prompt "> " and waits for an entry.
  Entry Read();
  // Makes the arrow keys find an entry: one of Read(), as it stood on the screen, or one of
  // another session. The last call is the newest.
  void Remember(const std::string& entry);

 private:
  class Impl;
  explicit LineEditor(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_LINE_EDITOR_H_
