#ifndef CURSORWIRE_EXAMPLES_CURSOR_CHAT_OUTPUT_H_
#define CURSORWIRE_EXAMPLES_CURSOR_CHAT_OUTPUT_H_

#include <absl/status/status.h>

#include <string_view>

namespace cursor_chat {

// Standard output, without a buffer: what Write() took is with the system. After the first failure
// nothing more is written, so that no later part follows a part that is missing.
class Output {
 public:
  // Waits while the reader does not read.
  void Write(std::string_view text);
  // Closes it: some file systems tell of a full disk only then. Nothing can be written afterwards.
  void Close();

  //   kUnknown  the output could not be written; the message says why
  const absl::Status& status() const { return status_; }
  // That was because whoever read it is gone, as `head` goes when it has its lines.
  bool reader_is_gone() const { return reader_is_gone_; }

 private:
  void Fail(int error);

  absl::Status status_;
  bool reader_is_gone_ = false;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_EXAMPLES_CURSOR_CHAT_OUTPUT_H_
