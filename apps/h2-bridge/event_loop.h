#ifndef CURSORWIRE_APPS_H2_BRIDGE_EVENT_LOOP_H_
#define CURSORWIRE_APPS_H2_BRIDGE_EVENT_LOOP_H_

#include <poll.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "dialer.h"
#include "proxy/proxy_choice.h"
#include "proxy/tunnel.h"
#include "relay.h"
#include "standard_streams.h"

namespace h2_bridge {

// Read at a time, from the parent or the server.
inline constexpr size_t kMaxReadBytes = size_t{128} * 1024;
// What has come counts before a deadline that passed meanwhile, such as of a program that was
// stopped: so many reads at most, which is more than a window.
inline constexpr size_t kMaxReadsBeforeDeadline = 32;

// Moves bytes between standard input and output, a Relay and its socket. One thread, which waits in
// poll().
class EventLoop {
 public:
  // `environment`: of proxies; empty: they are not used.
  EventLoop(Relay& relay, const StandardStreams& streams,
            cursorwire::proxy::Environment environment);

  // Returns the exit code.
  int Run();

 private:
  using TimePoint = cursorwire::connect::TimePoint;

  void FillEntries();
  void AddInput();
  void AddSocket();
  void Wait();
  // Takes what poll() found. False: nothing was read.
  bool UseEntries();
  void CheckDeadlines(bool has_read);
  bool UseInput();
  bool ReadInput();
  void WriteOutput();
  void Dial();
  void StartDialing(const Target& target);
  void StartDialing(const cursorwire::proxy::Proxy& proxy, const Target& target);
  bool UseSocket();
  void OnSocketBytes(std::string_view bytes);
  void WriteSocket();
  void LoseSocket(const absl::Status& status);
  short ReventsOf(const std::optional<size_t>& entry) const;

  Relay& relay_;
  const StandardStreams& streams_;
  const cursorwire::proxy::Environment environment_;
  const std::unique_ptr<char[]>
      buffer_;  // of kMaxReadBytes; memory that is never read stays unused
  std::vector<pollfd> entries_;
  std::optional<size_t> input_entry_;
  std::optional<size_t> output_entry_;
  bool reads_input_ = false;    // else its entry only shows that nobody writes any more
  bool input_hung_up_ = false;  // that was reported
  size_t reads_before_deadline_ = 0;
  std::optional<size_t> socket_entry_;

  std::optional<Dialer> dialer_;
  std::unique_ptr<cursorwire::proxy::Tunnel> tunnel_;  // until it is there; nullptr: no proxy
  std::string tunnel_output_;                          // that was not sent yet
  cursorwire::FileDescriptor socket_;
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_EVENT_LOOP_H_
