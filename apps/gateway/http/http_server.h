#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_SERVER_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_SERVER_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "http/http_message.h"

namespace cursor_gateway {

// Bounds of a connection: docs/limits.md.
inline constexpr size_t kMaxHeadBytes = size_t{64} * 1024;
inline constexpr size_t kMaxBodyBytes = size_t{48} * 1024 * 1024;
// Bodies of all connections, until the handler has dropped them.
inline constexpr size_t kMaxAllBodiesBytes = size_t{512} * 1024 * 1024;
// Those that one owner has sent.
inline constexpr size_t kMaxOwnerBodiesBytes = size_t{128} * 1024 * 1024;
// Ends of complete answers that clients have not read: of all, and of those that one owner asked
// for.
inline constexpr size_t kMaxAllUnreadBytes = size_t{512} * 1024 * 1024;
inline constexpr size_t kMaxOwnerUnreadBytes = size_t{128} * 1024 * 1024;
inline constexpr size_t kMaxConnections = 1024;
inline constexpr std::chrono::seconds kHeadTimeout{10};
inline constexpr std::chrono::seconds kBodyTimeout{30};
inline constexpr std::chrono::seconds kWholeBodyTimeout{300};
inline constexpr std::chrono::seconds kIdleTimeout{75};

// Why a request cannot be read.
enum class Unreadable {
  kMalformed,
  kOtherVersion,  // neither HTTP/1.1 nor 1.0, or TLS
  kTooSlow,
  kBodyTooLarge,
  kHeadTooLarge,
  kNoRoom,  // now; a later try may succeed
};

// What a server asks of the program. All functions run on the thread of the EventLoop.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // The head of a request is there, and its body is not read yet. An answer refuses it, and the
  // connection ends if there is a body. Asked again when the server drains before the body is
  // complete.
  virtual std::optional<HttpAnswer> OnHead(const HttpHead& head) = 0;
  // Whose request it is, once OnHead() has let it in: each owner has a share of the room for
  // bodies. "": nobody's.
  virtual std::string OwnerOf(const HttpHead& head) = 0;
  // The answer to a request that cannot be read; the connection ends after it. `head` is empty
  // where that is not complete.
  virtual HttpAnswer OnUnreadable(Unreadable why, const HttpHead& head) = 0;
  virtual void OnRequest(std::shared_ptr<HttpExchange> exchange) = 0;
};

// HTTP/1.1 and 1.0 over TCP, on the EventLoop's thread, which all functions are for. Its end closes
// its connections; the loop and the handler outlive it.
//
// A client that leaves is noticed at once, also while nothing is sent to it. One that does not read
// costs what its exchange was given. Refused, besides what Boost.Beast refuses: folded headers and
// transfer codings other than chunked.
class HttpServer {
 public:
  // Listens on `address`, which is one of IPv4 or IPv6. Port 0: the system chooses.
  //   kInvalidArgument  no address
  //   kUnavailable      it cannot be listened on
  static absl::StatusOr<std::shared_ptr<HttpServer>> Listen(EventLoop& loop, HttpHandler& handler,
                                                            const std::string& address,
                                                            uint16_t port);
  virtual ~HttpServer() = default;

  virtual uint16_t port() const = 0;
  virtual size_t connections() const = 0;

  // Takes no new connections, closes those that wait for a request, and the others after their
  // answers. The handler may refuse requests whose bodies are not complete. `on_drained` is called
  // when none is left.
  virtual void Drain(std::function<void()> on_drained) = 0;
  // Closes all connections, answered or not: the end of Drain() for clients that do not read.
  virtual void Close() = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_SERVER_H_
