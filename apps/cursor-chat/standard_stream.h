#ifndef CURSORWIRE_APPS_CURSOR_CHAT_STANDARD_STREAM_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_STANDARD_STREAM_H_

#include <string_view>

#include "file_descriptor.h"
#include "write_limit.h"

namespace cursor_chat {

// Standard output, standard error or the controlling terminal, without a buffer. No write waits
// longer than its limit. The flags of the descriptor stay as they are: other programs share them.
// Thread-safe.
//
// Two cases can still wait longer: another program takes the room of a pipe between our look and
// our write, and a terminal that this process may not open by its name.
class StandardStream {
 public:
  // `fd` stays the caller's.
  explicit StandardStream(int fd);

  // Writes all of it. 0, or an errno; ETIMEDOUT if `limit` is over and nobody reads.
  int Write(std::string_view bytes, const WriteLimit& limit) const;
  bool is_terminal() const { return is_terminal_; }

 private:
  const int fd_;
  const bool is_terminal_;
  // The same terminal, opened once more, so that a write to it takes what there is room for and
  // returns. Not open for anything else.
  const FileDescriptor terminal_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_STANDARD_STREAM_H_
