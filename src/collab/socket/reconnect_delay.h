#ifndef CURSORWIRE_SRC_COLLAB_SOCKET_RECONNECT_DELAY_H_
#define CURSORWIRE_SRC_COLLAB_SOCKET_RECONNECT_DELAY_H_

#include <chrono>
#include <optional>

namespace cursorwire::collab {

struct ReconnectDelayOptions {
  std::chrono::milliseconds first{500};
  // Before the jitter, which may add a fifth.
  std::chrono::milliseconds max{30000};
  // A connection that lasted this long makes the delays begin anew.
  std::chrono::milliseconds stable_after{10000};
};

// How long to wait before the next attempt to connect: `first`, then doubled for each attempt up to
// `max`, all with a jitter of 20 % to both sides, so that clients do not come back at one moment.
//
// Order: OnConnected() when a connection is open; OnClosed() when it is lost or an attempt failed;
// then Next() once. Without I/O or a clock. Thread-compatible.
class ReconnectDelay {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit ReconnectDelay(const ReconnectDelayOptions& options = {})
      : options_(options), base_(options.first) {}

  void OnConnected(TimePoint now) { connected_at_ = now; }
  // `clean_restart`: the server said that it goes away or restarts. The next delay is 0 then, but
  // only once until a connection was stable: a server may say so to each connection.
  void OnClosed(TimePoint now, bool clean_restart);

  // `random` from 0 to 1 decides the jitter.
  std::chrono::milliseconds Next(double random);

 private:
  const ReconnectDelayOptions options_;
  std::chrono::milliseconds base_;
  std::optional<TimePoint> connected_at_;
  bool may_be_at_once_ = true;
  bool at_once_ = false;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_SOCKET_RECONNECT_DELAY_H_
