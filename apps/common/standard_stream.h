#ifndef CURSORWIRE_APPS_COMMON_STANDARD_STREAM_H_
#define CURSORWIRE_APPS_COMMON_STANDARD_STREAM_H_

#include <string_view>

#include "base/file_descriptor.h"
#include "common/write_limit.h"

namespace cursor_apps {

// Standard output, standard error or the controlling terminal, without a buffer. A write does not
// wait longer than its limit. The flags of the descriptor are not changed, since other programs
// share them. Thread-safe.
//
// Both can still wait longer in two cases: another program fills a pipe between our check and
// our write; or this process may not open the terminal by its name.
class StandardStream {
 public:
  // The caller keeps ownership of `fd`.
  explicit StandardStream(int fd);

  // Writes all bytes. Returns 0 or an errno; ETIMEDOUT if `limit` is over and nobody reads.
  int Write(std::string_view bytes, const WriteLimit& limit) const;
  // Writes what the reader takes at once, at most PIPE_BUF bytes, and does not wait. Returns 0 or
  // an errno; EAGAIN if nothing was taken.
  int WriteAtOnce(std::string_view bytes) const;
  bool is_terminal() const { return is_terminal_; }

 private:
  const int fd_;
  const bool is_terminal_;
  // The same terminal, opened again, so that a write takes only what fits and returns. Only open if
  // `fd` is a terminal.
  const cursorwire::FileDescriptor terminal_;
};

// If a standard stream is closed, a socket could take its number and get our output. So /dev/null
// takes its place, opened so that using it fails as for a closed stream. Call it first of all.
void OpenStandardStreams();

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_STANDARD_STREAM_H_
