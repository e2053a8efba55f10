#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_H_

#include <absl/status/status.h>
#include <cursorwire/connect/redactor.h>

#include <optional>
#include <stop_token>
#include <string_view>

#include "standard_stream.h"
#include "terminal.h"
#include "write_limit.h"

namespace cursor_chat {

// Standard output, without a buffer: what Write() took is with the system. After the first failure
// nothing more is written, so that no later part follows a part that is missing. For one thread,
// but for StartLine() and redactor(). Standard error, too, for the lines beside it.
class Output {
 public:
  // `redactor` is for whoever prints what is no text of the model, here or to standard error.
  explicit Output(cursorwire::connect::Redactor redactor = {});

  // From here on nothing waits for a reader once `stop` is requested or `end` has come: what nobody
  // reads for kLastWait after that has failed. Call it before other threads use this.
  void LimitWaits(const std::stop_token& stop, WriteLimit::Clock::time_point end);

  // Waits while the reader does not read, or while another holds the terminal. A file or a pipe
  // gets the bytes as they are, a terminal gets VisibleText() of whole characters.
  void Write(std::string_view text);
  // To standard error, as it is. That it fails does not matter.
  void WriteError(std::string_view text);
  // Closes it: some file systems tell of a full disk only then. Nothing can be written afterwards.
  void Close();

  const cursorwire::connect::Redactor& redactor() const { return redactor_; }
  bool is_terminal() const { return output_.is_terminal(); }
  // There was something to write, be it that it failed.
  bool used() const { return used_; }
  // On a terminal, what was written ends in the middle of a line.
  bool in_line() const { return in_line_; }
  // Holds the terminal for other lines than those of standard output, and begins a new one if the
  // last is not complete. From any thread. Empty if `stop` was requested first.
  Terminal::Hold StartLine(const std::stop_token& stop = {});

  //   kUnknown           the output could not be written; the message says why
  //   kCancelled         nobody read it, and a stop was requested
  //   kDeadlineExceeded  nobody read it until the end of LimitWaits()
  const absl::Status& status() const { return status_; }
  // That was because whoever read it is gone, as `head` goes when it has its lines.
  bool reader_is_gone() const { return reader_is_gone_; }

 private:
  void WriteBytes(std::string_view bytes);
  void Fail(int error);

  const cursorwire::connect::Redactor redactor_;
  const StandardStream output_;
  const StandardStream errors_;
  std::optional<WriteLimit> limit_{std::in_place};
  bool errors_are_read_ = true;
  Terminal terminal_;
  bool used_ = false;
  bool in_line_ = false;  // of who holds terminal_
  absl::Status status_;
  bool reader_is_gone_ = false;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_H_
