#ifndef CURSORWIRE_APPS_H2_BRIDGE_STANDARD_STREAMS_H_
#define CURSORWIRE_APPS_H2_BRIDGE_STANDARD_STREAMS_H_

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace h2_bridge {

// Wanted room of a pipe to or from the parent: fewer and longer reads.
inline constexpr int kMaxPipeBytes = 256 * 1024;
// Longest line on standard error, its end included. A pipe that has room takes so much at once.
inline constexpr size_t kMaxErrorLineBytes = 4096;

// First of all: if a standard stream is closed, a socket or the log could take its number and get
// our output. So /dev/null takes its place, opened so that using it fails as for a closed stream.
void OpenMissingStreams();

// Standard input and output of the relay, without changing what other programs have of them: the
// descriptors are shared with whoever started us, and so are their flags. Thread-compatible.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  // As write(2) to standard output; EAGAIN instead of waiting if it is a pipe or a socket.
  ssize_t Write(std::string_view bytes) const;

 private:
  bool output_is_socket_ = false;
  std::optional<int> shared_flags_;  // of standard output, which are given back at the end
};

// One line for standard error. A parent that does not read it must not stop the relay: what does
// not fit is lost.
void WriteErrorLine(std::string_view line);

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_STANDARD_STREAMS_H_
