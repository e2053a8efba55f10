#ifndef CURSORWIRE_SRC_COLLAB_LIVE_ROOM_LINK_H_
#define CURSORWIRE_SRC_COLLAB_LIVE_ROOM_LINK_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "collab/oct/socket_io.h"
#include "collab/socket/event_loop.h"
#include "collab/socket/web_socket.h"

namespace cursorwire::collab {

// What a RoomLink tells, on the loop's thread. No function may destroy it.
class RoomLinkUser {
 public:
  virtual ~RoomLinkUser() = default;

  // Messages may be sent, of this size at most.
  virtual void OnConnected(size_t max_message_bytes) = 0;
  // The view is valid until it returns.
  virtual void OnMessage(std::string_view bytes) = 0;
  // There is no connection, which is tried again; after OnConnected(), and once at the start.
  virtual void OnLost(const absl::Status& why) = 0;
  // The last one. OK: the server has ended the session.
  virtual void OnEnded(const absl::Status& status) = 0;
};

// The connection to a room: socket.io on one WebSocket after the other.
//
// Order: Start() once, Send() while it is connected, at most one Stop(). Loop's thread only.
class RoomLink final : private WebSocketUser {
 public:
  // For how long a room keeps the place of a peer whose connection is lost.
  // Source: docs/collab/oct.md, "Transport".
  static constexpr std::chrono::seconds kMaxLost{30};

  // `loop` and `user` must outlive it. Of the options: url, headers and trust.
  RoomLink(EventLoop& loop, WebSocketOptions options, RoomLinkUser& user);
  RoomLink(const RoomLink&) = delete;
  RoomLink& operator=(const RoomLink&) = delete;

  void Start();
  //   kFailedPrecondition, kResourceExhausted  as of SocketIoSession::Send()
  absl::Status Send(std::string message);
  // As WebSocket::Stop(). Nothing is told any more.
  void Stop(std::function<void()> done);

 private:
  void OnOpened() override;
  void OnMessage(std::string_view bytes, MessageKind kind) override;
  void OnClosed(const absl::Status& why, std::chrono::milliseconds retry_in) override;

  void OnTimer();
  void Work();
  void Take(oct::SocketConnected event);
  void Take(const oct::SocketMessage& event);
  void Take(const oct::SocketClosed& event);
  void NoteLost(const absl::Status& why);
  void End(const absl::Status& status);
  void SetTimer();

  RoomLinkUser& user_;
  oct::SocketIoSession session_;
  bool open_ = false;  // the WebSocket
  bool ended_ = false;
  std::optional<std::chrono::steady_clock::time_point> lost_at_;
  absl::Status lost_why_;
  Timer timer_;
  WebSocket socket_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_LIVE_ROOM_LINK_H_
