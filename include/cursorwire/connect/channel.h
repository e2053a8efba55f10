#ifndef CURSORWIRE_CONNECT_CHANNEL_H_
#define CURSORWIRE_CONNECT_CHANNEL_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/channel_options.h"
#include "cursorwire/connect/connection.h"
#include "cursorwire/connect/stream.h"

namespace cursorwire::connect {

// The answer of a unary call.
struct UnaryResponse {
  std::string message{};
  Headers headers{};
  Headers trailers{};
};

// What happens to the connection of a ConnectionPin. On the channel's thread, as CallObserver;
// where the channel is closed already, Pin() itself calls OnDown().
class ConnectionObserver {
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
class ConnectionPin {
 public:
  // As Channel::Start(), but on this connection: if it is gone or takes no new calls, the call ends
  // with kUnavailable.
  Call Start(const CallRequest& request, std::shared_ptr<CallObserver> observer) const;

 private:
  friend class Channel;
  friend class Driver;
  struct State;
  explicit ConnectionPin(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // shared by the copies of the pin; its end unpins
};

// Calls to one Connect server, over HTTP/2, with a thread that does the I/O.
//
// It connects with the first call, shares the connection among all calls, and makes a new one for
// the next call when it was lost. Calls that were on a lost connection end with an error.
// Thread-safe. Destroying it ends all calls with kCancelled and waits for its thread, which does
// not wait for the network.
class Channel {
 public:
  // `url` is "https://host[:port][/prefix]", or "http://" to this machine. Makes no connection yet.
  //   kInvalidArgument  the URL is bad, or plaintext where it is not allowed, or
  //                     TlsOptions::ca_pem holds no certificate
  //   kUnavailable      no file descriptor or thread is left
  static absl::StatusOr<Channel> Create(std::string_view url, ChannelOptions options = {});
  ~Channel();
  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) noexcept;

  // Starts a call whose events go to `observer`: one thread serves any number of calls. A call that
  // cannot be made ends with OnEnd(), too.
  Call Start(const CallRequest& request, std::shared_ptr<CallObserver> observer) const;

  // Opens a stream to be used with blocking functions.
  Stream OpenStream(std::string_view path, const CallOptions& options = {}) const;

  // Sends one message and waits for the answer.
  absl::StatusOr<UnaryResponse> Unary(std::string_view path, std::string_view message,
                                      const CallOptions& options = {}) const;

  // Opens a connection of its own, at once.
  ConnectionPin Pin(std::shared_ptr<ConnectionObserver> observer) const;

 private:
  explicit Channel(std::shared_ptr<class Driver> driver);

  std::shared_ptr<class Driver> driver_;  // also held by calls that outlive the channel
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CHANNEL_H_
