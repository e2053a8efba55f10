#ifndef CURSORWIRE_EXAMPLES_CURSOR_CHAT_OUTPUT_H_
#define CURSORWIRE_EXAMPLES_CURSOR_CHAT_OUTPUT_H_

#include <absl/status/status.h>
#include <cursorwire/connect/redactor.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string_view>

#include "stop_event.h"
#include "terminal.h"

namespace cursor_chat {

// Standard output, without a buffer: what Write() took is with the system. After the first failure
// nothing more is written, so that no later part follows a part that is missing. For one thread,
// but for StartLine() and redactor().
class Output {
 public:
  // While it lives, a reader who does not read is waited for until half a second behind a stop or a
  // deadline, and Write() fails then: else neither could end the program. Without one, for ever.
  class Patience {
   public:
    // `output` outlives it.
    Patience(Output& output, const std::stop_token& stop,
             std::optional<std::chrono::steady_clock::time_point> deadline);
    ~Patience();
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;

   private:
    friend class Output;

    Output& output_;
    const StopEvent stop_;
    std::optional<std::chrono::steady_clock::time_point> end_;
    bool stopped_ = false;
  };

  // `redactor` is for whoever prints what is no text of the model, here or to standard error.
  explicit Output(cursorwire::connect::Redactor redactor = {});

  // Waits while the reader does not read, or while another holds the terminal. A file or a pipe
  // gets the bytes as they are, a terminal gets VisibleText() of whole characters.
  void Write(std::string_view text);
  // Closes it: some file systems tell of a full disk only then. Nothing can be written afterwards.
  void Close();

  const cursorwire::connect::Redactor& redactor() const { return redactor_; }
  bool is_terminal() const { return is_terminal_; }
  // There was something to write, be it that it failed.
  bool used() const { return used_; }
  // On a terminal, what was written ends in the middle of a line.
  bool in_line() const { return in_line_; }
  // Holds the terminal for other lines than those of standard output, and begins a new one if the
  // last is not complete. From any thread. Empty if `stop` was requested first.
  Terminal::Hold StartLine(const std::stop_token& stop = {});

  //   kUnknown           the output could not be written; the message says why
  //   kDeadlineExceeded  nobody read it until the deadline of its Patience
  //   kCancelled         the same, when that was stopped
  const absl::Status& status() const { return status_; }
  // That was because whoever read it is gone, as `head` goes when it has its lines.
  bool reader_is_gone() const { return reader_is_gone_; }

 private:
  void WriteBytes(std::string_view bytes);
  // Waits until a byte or more can be written; false if it has failed.
  bool AwaitReader();
  void Fail(int error);

  const cursorwire::connect::Redactor redactor_;
  const bool is_terminal_;
  Terminal terminal_;
  Patience* patience_ = nullptr;
  bool used_ = false;
  bool in_line_ = false;  // of who holds terminal_
  absl::Status status_;
  bool reader_is_gone_ = false;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_EXAMPLES_CURSOR_CHAT_OUTPUT_H_
