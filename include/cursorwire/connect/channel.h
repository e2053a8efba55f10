// Room: src/channel/loop
#ifndef CURSORWIRE_CONNECT_CHANNEL_H_
#define CURSORWIRE_CONNECT_CHANNEL_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/call_target.h"
#include "cursorwire/connect/channel_options.h"
#include "cursorwire/connect/connection.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// What happens to the connection of a ConnectionPin. On the channel's thread, as CallObserver;
// where the channel is closed already, Pin() itself calls OnDown().
class CURSORWIRE_EXPORT ConnectionObserver {
 public:
  virtual ~ConnectionObserver() = default;

  virtual void OnUp(const ConnectionUp&) {}
  virtual void OnGoAway(const GoAwayReceived&) {}
  // The last call, always.
  virtual void OnDown(const ConnectionDown&) = 0;
};

// One connection that is never replaced: for programs to which it matters that calls share one, and
// what became of it. Destroying the pin lets the calls on it end and then closes the connection.
// Thread-safe; it may outlive the channel.
class CURSORWIRE_EXPORT ConnectionPin final : public CallTarget {
 public:
  // If the connection is gone or takes no new calls, the call ends with kUnavailable.
  Call Start(const CallRequest& request, std::shared_ptr<CallObserver> observer) const override;

 private:
  friend class Channel;
  friend class internal::Driver;
  struct CURSORWIRE_HIDDEN State;
  explicit ConnectionPin(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // shared by the copies of the pin; its end unpins
};

// Calls to one Connect server, over HTTP/2, with a thread that does the I/O where no thread that
// waits for a message does it (ChannelOptions::io_thread).
//
// Connections: it connects with the first call, shares the connection among all calls, and makes a
// new one for the next call when it was lost, said GOAWAY, or was closed for want of calls
// (Http2Options::unused_timeout). Calls that come while it connects share the attempt; if that
// takes too long, those that joined it make an attempt of their own, unless their request may have
// left. If the host has several addresses, IPv6 comes first and the families take turns: the next
// address is tried after 250 ms, or at once when one fails, and the first that answers is taken
// (RFC 8305). At most 16 are tried. A server may say how many calls it takes at a time on a
// connection; whether another call waits, or another connection is made for it, is
// Http2Options::max_connections to say.
//
// Lost calls: calls that were on a lost connection end with kUnavailable; those up to the last
// stream of a GOAWAY go on. A server that says nothing is asked for a sign of life, and given up if
// it gives none (Http2Options::keepalive).
//
// Replay: a call that the server certainly did not act on is sent once more, on a new connection if
// need be, and its user does not notice. It must have been refused (REFUSED_STREAM, or a stream
// above the last of a GOAWAY) or never been sent before the connection was lost; no event has come
// of it but OnStart(), it is not cancelled, and what it sent is at most 1 MiB, 32 bytes for each
// message included. Its timeout runs on from the first start. CallOptions::auto_replay switches
// this off; calls of a ConnectionPin are never replayed, nor those that found no connection at all.
// If a call ends with an error, ErrorInfo::replay_safe tells whether the user may send it again.
//
// Thread-safe. Destroying it ends all calls with kCancelled and waits for its thread, which waits
// neither for the network, but where CallRequest::message_at_deadline says so, nor for the system's
// resolver. It may be destroyed within a callback of its own: that returns at once, and the calls
// end on the same thread afterwards. Two channels must not destroy each other in their callbacks:
// each would wait for the other's thread.
//
// fork(): a channel belongs to the process that made it. A child must neither use nor destroy one
// that was made before the fork, nor what came of it, since the thread is not there; it makes its
// own. All descriptors are closed by exec, so that fork and exec, posix_spawn() and _exit() are
// safe at any time. A child that lives on without exec holds the parent's connections open. No
// pthread_atfork() handler is installed.
class CURSORWIRE_EXPORT Channel final : public CallTarget {
 public:
  // `url` is "https://host[:port][/prefix]", or "http://" to this machine. Makes no connection yet.
  //   kInvalidArgument  the URL is bad, or plaintext where it is not allowed, or
  //                     TlsOptions::ca_pem holds no certificate, or a time is negative
  //   kUnavailable      no file descriptor or thread is left
  static absl::StatusOr<Channel> Create(std::string_view url, const ChannelOptions& options = {});
  ~Channel() override;
  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) noexcept;

  Call Start(const CallRequest& request, std::shared_ptr<CallObserver> observer) const override;

  // Opens a connection of its own, at once.
  ConnectionPin Pin(std::shared_ptr<ConnectionObserver> observer) const;

 private:
  explicit Channel(std::shared_ptr<internal::Driver> driver);

  std::shared_ptr<internal::Driver> driver_;  // also held by calls that outlive the channel
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CHANNEL_H_
