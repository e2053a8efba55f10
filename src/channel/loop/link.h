#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_LINK_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_LINK_H_

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include <memory>
#include <optional>
#include <span>

#include "base/url.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/channel_options.h"
#include "cursorwire/connect/connection.h"
#include "net/connector.h"
#include "net/poller.h"
#include "net/resolver.h"
#include "net/socket.h"

namespace cursorwire::connect::internal {

// One connection with its socket: waits for the addresses, connects to the first that answers, and
// moves bytes between the socket and the Connection. Driver thread only.
class Link {
 public:
  Link(Url url, PlaintextHosts plaintext_hosts, ConnectionOptions options,
       std::shared_ptr<net::Lookup> lookup, TimePoint now);

  Connection& connection() { return connection_; }
  // No socket and none to come: remove it once its events are pulled.
  bool dead() const { return dead_; }
  // The socket was connected, and the other side closed or broke it.
  bool lost() const { return lost_; }
  // There was a connection of TCP.
  bool connected() const { return connected_; }

  // Before and after the wait of a loop turn.
  void AddTo(net::Poller& poller);
  void AfterWait(const net::Poller& poller, std::span<char> buffer);
  // Goes on with resolving and connecting, and writes what is pending and fits.
  void Advance(TimePoint now);
  std::optional<TimePoint> NextDeadline() const;
  void OnDeadline(TimePoint now) { connection_.OnDeadline(now); }
  // The connection ended itself: writes its last words as far as they fit, and closes the socket.
  void OnConnectionDown();
  // Says good-bye to the server as far as the kernel takes it now, and closes the socket.
  void Shutdown();

 private:
  void TakeAddresses();
  void TakeSocket();
  void Drop();
  void ReadOnce(std::span<char> buffer);
  void WriteAll();
  void FailToConnect(const absl::Status& status);
  void Fail(const absl::Status& status);

  const Url url_;
  const PlaintextHosts plaintext_hosts_;
  Connection connection_;
  std::shared_ptr<net::Lookup> lookup_;
  std::optional<net::Connector> connector_;
  net::Socket socket_;
  bool lost_ = false;
  bool connected_ = false;
  bool write_failed_ = false;  // what the server said before it closed is still to be read
  bool dead_ = false;
  std::optional<size_t> poll_index_;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_LINK_H_
