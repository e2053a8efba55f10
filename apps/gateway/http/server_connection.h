#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_SERVER_CONNECTION_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_SERVER_CONNECTION_H_

#include <functional>
#include <memory>

namespace cursor_gateway {

// One connection of a client, of any version of HTTP, as the server sees it.
class ServerConnection {
 public:
  // Called once, at the end of the connection.
  using Closed = std::function<void(const std::shared_ptr<ServerConnection>&)>;

  virtual ~ServerConnection() = default;

  // No other request is answered; closes at once if none is being read or answered.
  virtual void Drain() = 0;
  virtual void Close() = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_SERVER_CONNECTION_H_
