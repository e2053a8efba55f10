#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_KEY_READER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_KEY_READER_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace cursor_chat {

// Longest text of one paste.
inline constexpr size_t kMaxPasteBytes = size_t{16} * 1024 * 1024;
// After so long without a byte of it, Ctrl-C or Ctrl-D is a key again, and ends a paste.
inline constexpr std::chrono::milliseconds kPasteSilence{1'000};

// What the user types, character by character. The keyboard sends UTF-8 whatever the locale says: a
// byte that is not UTF-8 becomes U+FFFD. Thread-compatible.
class KeyReader {
 public:
  enum class Event {
    kCharacter,
    kResized,    // the terminal has another size
    kContinued,  // the process goes on after it was stopped; another program had the terminal
    kEnd,        // the terminal is gone
  };

  // Blocks SIGWINCH and SIGCONT for the calling thread and those that it starts later: they arrive
  // as events. `fd` must stay open.
  explicit KeyReader(int fd, std::chrono::milliseconds paste_silence = kPasteSilence);

  // Waits for the next event. Sets `character` for kCharacter.
  Event Next(wchar_t& character);
  // A character that Next() returns before those that are typed.
  void Push(wchar_t character) { pushed_ = character; }
  // Reads up to the sequence that ends a bracketed paste. Newlines of any system become '\n', and
  // other control characters except for tabs are left out. What exceeds kMaxPasteBytes is left out.
  // The sequence may have been lost on the way: Ctrl-C or Ctrl-D, alone and after a silence, ends
  // the paste, too, and is the next key.
  std::string ReadPaste();

 private:
  // False: the terminal is gone.
  bool Fill();
  bool Read();
  // Waits for more of a paste, and for nothing else. False: it has ended.
  bool FillPaste();
  std::optional<Event> TakeSignal();

  const int fd_;
  const std::chrono::milliseconds paste_silence_;
  cursorwire::FileDescriptor signals_;
  std::string bytes_;
  std::optional<wchar_t> pushed_;
};

// The text of a paste as ReadPaste() gives it.
std::string CleanPaste(std::string_view bytes);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_KEY_READER_H_
