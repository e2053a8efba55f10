#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_OUTPUT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_OUTPUT_H_

#include <absl/status/status.h>
#include <cursorwire/connect/redactor.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string_view>

#include "common/standard_stream.h"
#include "common/write_limit.h"
#include "output/terminal.h"

namespace cursor_chat {

// Standard output, without a buffer: what Write() accepted has been passed to the system. After the
// first failure nothing more is written, so that no part follows a missing one. Only for one
// thread, except for StartLine() and redactor(). Also writes lines to standard error.
class Output {
 public:
  // `redactor` is for all printed text that is not the model's, here or on standard error.
  explicit Output(cursorwire::connect::Redactor redactor = {});

  // From now on no write waits for a reader once `stop` is requested or `end` has come: a write
  // that nobody reads for kLastWait after that fails. Call before other threads use this.
  void LimitWaits(const std::stop_token& stop, cursor_apps::WriteLimit::Clock::time_point end);

  // Waits while the reader does not read, or while another thread holds the terminal. A file or a
  // pipe gets the bytes unchanged; a terminal gets VisibleText() of whole characters.
  void Write(std::string_view text);
  // For a terminal: writes text whose untrusted parts are visible already, and which may have
  // escape sequences of this program in it.
  void WriteShown(std::string_view text);
  // The same, if StartLine() was called so many times before. False: it was called since, and
  // nothing is written.
  bool WriteShownAfter(size_t lines_started, std::string_view text);
  // For a terminal: shows a line below the output, which the next write or StartLine() removes.
  // Does nothing while the output ends within a line. An empty line removes what is shown. The line
  // must fit the terminal. Callable from any thread; does nothing once `stop` is requested.
  void ShowStatus(std::string_view line, const std::stop_token& stop);
  // From now on WriteError() does not wait: what its reader does not take at once is dropped. Call
  // before other threads use this.
  void DropUnreadErrors() { drops_unread_errors_ = true; }
  // Writes to standard error. A failure is ignored. Begins a new line where standard output is the
  // same file or pipe and ends within a line: the text of the answer itself gets no newline.
  void WriteError(std::string_view text);
  // Closes the output: some file systems report a full disk only then. Nothing can be written
  // afterwards.
  void Close();

  const cursorwire::connect::Redactor& redactor() const { return redactor_; }
  bool is_terminal() const { return output_.is_terminal(); }
  // True if there was something to write, even if writing failed.
  bool used() const { return used_; }
  // True if the output on a terminal ends in the middle of a line.
  bool in_line() const { return in_line_; }
  // Holds the terminal for lines other than those of standard output, and starts a new line if the
  // last one is incomplete. Callable from any thread. Empty if `stop` was requested first.
  Terminal::Hold StartLine(const std::stop_token& stop = {});
  // How often that was called. Callable from any thread.
  size_t lines_started() const { return lines_started_; }

  //   kUnknown           the output could not be written; the message says why
  //   kCancelled         the reader did not read, and a stop was requested
  //   kDeadlineExceeded  the reader did not read until the end set by LimitWaits()
  const absl::Status& status() const { return status_; }
  // True if the write failed because the reader is gone, such as `head` after its last line.
  bool reader_is_gone() const { return reader_is_gone_; }

 private:
  // The terminal is held.
  void WriteHeld(std::string_view text);
  void WriteBytes(std::string_view bytes);
  void RemoveStatus();
  void Fail(int error);

  const cursorwire::connect::Redactor redactor_;
  const cursor_apps::StandardStream output_;
  const cursor_apps::StandardStream errors_;
  std::optional<cursor_apps::WriteLimit> limit_{std::in_place};
  bool errors_are_read_ = true;
  bool drops_unread_errors_ = false;
  Terminal terminal_;
  std::atomic<size_t> lines_started_ = 0;
  bool used_ = false;
  const bool shares_file_;  // standard error is the same file or pipe
  // The output in that file. Errors may come from another thread.
  std::atomic<bool> file_ends_in_line_ = false;
  bool in_line_ = false;       // used by the holder of terminal_
  bool status_shown_ = false;  // likewise
  absl::Status status_;
  bool reader_is_gone_ = false;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_OUTPUT_H_
