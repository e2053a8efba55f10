#ifndef CURSORWIRE_SRC_CHANNEL_LINK_H_
#define CURSORWIRE_SRC_CHANNEL_LINK_H_

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "channel/url.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/connection.h"
#include "net/poller.h"
#include "net/resolver.h"
#include "net/socket.h"
#include "net/waker.h"

namespace cursorwire::connect {

// One connection with its socket: resolves, connects to one address after the other, and moves
// bytes between the socket and the Connection. Driver thread only.
class Link {
 public:
  Link(const Url& url, ConnectionOptions options, const std::shared_ptr<net::Waker>& waker,
       TimePoint now);

  Connection& connection() { return connection_; }
  // No socket and none to come: remove it once its events are pulled.
  bool dead() const { return dead_; }

  // Before and after the wait of a loop turn.
  void AddTo(net::Poller& poller);
  void AfterWait(const net::Poller& poller, std::span<char> buffer);
  // Goes on with resolving and connecting, and writes what is pending and fits.
  void Advance();
  void OnDeadline(TimePoint now) { connection_.OnDeadline(now); }
  // The connection ended itself: writes its last words as far as they fit, and closes the socket.
  void OnConnectionDown();
  // Says good-bye to the server as far as the kernel takes it now, and closes the socket.
  void Shutdown();

 private:
  void TakeAddresses();
  void ConnectNext();
  void FinishConnect();
  void ReadOnce(std::span<char> buffer);
  void WriteAll();
  void FailToConnect(const absl::Status& status);
  void Fail(const absl::Status& status);

  const Url url_;
  Connection connection_;
  std::shared_ptr<net::Lookup> lookup_;
  std::vector<net::Address> addresses_;
  size_t next_address_ = 0;
  net::Socket socket_;
  bool connected_ = false;
  bool write_failed_ = false;  // what the server said before it closed is still to be read
  bool dead_ = false;
  std::optional<size_t> poll_index_;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_SRC_CHANNEL_LINK_H_
