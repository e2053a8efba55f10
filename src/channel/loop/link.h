#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_LINK_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_LINK_H_

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "channel/loop/link_route.h"
#include "channel/loop/proxied_socket.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/connection.h"
#include "net/connector.h"
#include "net/poller.h"
#include "net/resolver.h"
#include "net/socket.h"

namespace cursorwire::connect::internal {

// One connection with its socket: waits for the addresses, connects to the first that answers, asks
// a proxy for its tunnel, and moves bytes between the socket and the Connection. Driver thread
// only.
class Link {
 public:
  // `route` must outlive it.
  Link(const LinkRoute& route, ConnectionOptions options, LinkLookups lookups, TimePoint now);

  Connection& connection() { return connection_; }
  // No socket and none to come: remove it once its events are pulled.
  bool dead() const { return dead_; }
  // The socket was connected, and the other side closed or broke it. A proxy that says no has not.
  bool lost() const { return lost_; }
  // There was a connection of TCP, behind a proxy a tunnel; or the proxy will never make one.
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
  // nullopt: not all are there yet, or the link has failed.
  std::optional<std::vector<net::Address>> AddressesOf(std::shared_ptr<net::Lookup>& lookup);
  void TakeSocket();
  void Drop();
  void ReadOnce(std::span<char> buffer);
  void OnReadError(const absl::Status& status);
  void WriteAll();
  void FailToConnect(const absl::Status& status);
  void Fail(const absl::Status& status);

  const LinkRoute& route_;
  Connection connection_;
  LinkLookups lookups_;
  std::string host_;  // as the proxy is told of it
  std::optional<net::Connector> connector_;
  ProxiedSocket socket_;
  bool lost_ = false;
  bool connected_ = false;
  bool write_failed_ = false;  // what the server said before it closed is still to be read
  bool dead_ = false;
  std::optional<size_t> poll_index_;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_LINK_H_
