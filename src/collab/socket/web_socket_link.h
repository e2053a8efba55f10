#ifndef CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_LINK_H_
#define CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_LINK_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "collab/socket/event_loop.h"
#include "collab/socket/web_socket.h"
#include "collab/socket/web_socket_address.h"

namespace cursorwire::collab {

// What all connections of one WebSocket share. Not changed, so that one that closes in the
// background may have it longer than the WebSocket lives.
struct WebSocketPlan {
  WebSocketOptions options;
  WebSocketAddress address;
};

enum class LinkEnd { kLost, kServerRestarts };

// Who is told of one link.
class LinkUser {
 public:
  virtual ~LinkUser() = default;
  virtual void OnLinkOpened() = 0;
  virtual void OnLinkMessage(std::string_view bytes, MessageKind kind) = 0;
  // The last one. Not after Close() or Abort().
  virtual void OnLinkEnded(const absl::Status& why, LinkEnd end) = 0;
};

enum class Unsent { kSend, kDrop };

// One attempt to connect, and the connection that comes of it.
class Link {
 public:
  virtual ~Link() = default;
  virtual void Begin() = 0;
  // False: too much is unsent.
  virtual bool Send(std::string bytes, MessageKind kind) = 0;
  // Its user is told of nothing any more, but `closed` is called, at the latest after
  // close_timeout, or within this call if there is nothing to close.
  virtual void Close(uint16_t code, Unsent unsent, std::function<void()> closed) = 0;
  virtual void Abort() = 0;
};

//   kInvalidArgument  wss:// without a TlsContext
//   kInternal         OpenSSL makes no connection
absl::StatusOr<std::shared_ptr<Link>> MakeLink(EventLoop& loop,
                                               std::shared_ptr<const WebSocketPlan> plan,
                                               std::weak_ptr<LinkUser> user);

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_LINK_H_
