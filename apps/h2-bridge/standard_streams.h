#ifndef CURSORWIRE_APPS_H2_BRIDGE_STANDARD_STREAMS_H_
#define CURSORWIRE_APPS_H2_BRIDGE_STANDARD_STREAMS_H_

#include <array>

namespace h2_bridge {

// Wanted room of a pipe to or from the parent: fewer and longer reads.
inline constexpr int kMaxPipeBytes = 256 * 1024;

// Lets standard input, output and error never block, and gives them their old flags back at the
// end: the descriptors may be shared with other programs.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

 private:
  std::array<int, 3> flags_{};  // -1: not known
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_STANDARD_STREAMS_H_
