#ifndef CURSORWIRE_SRC_COLLAB_OCT_SOCKET_IO_H_
#define CURSORWIRE_SRC_COLLAB_OCT_SOCKET_IO_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace cursorwire::oct {

// One message of a WebSocket.
enum class SocketFrameKind : uint8_t { kText, kBinary };
struct SocketFrame {
  SocketFrameKind kind = SocketFrameKind::kText;
  std::string bytes{};

  friend bool operator==(const SocketFrame&, const SocketFrame&) = default;
};

// The server has let us in: messages may be sent.
struct SocketConnected {};
struct SocketMessage {
  std::string bytes;
};
// The last event of a connection, which must be closed now; further frames are ignored.
//   OK                 the server has ended the session
//   kPermissionDenied  the server has refused it; the message holds its text, on one line
//   kUnavailable       the server was silent for too long
//   kInternal          the server broke the protocol
struct SocketClosed {
  absl::Status status{};
  bool is_final = false;  // another connection would end in the same way
};
using SocketEvent = std::variant<SocketConnected, SocketMessage, SocketClosed>;

// A client of socket.io 5 on engine.io 4, over one WebSocket after the other. It knows what rooms
// need of them: the event "message" with one byte string. docs/collab/oct.md, "Transport".
// No I/O: whole frames in and out, time as an argument.
//
// Order: OnOpened() when a WebSocket is open, then OnFrame() for each frame; for the next WebSocket
// OnOpened() again, which forgets all of the former one. After each call: TakeFrame() and
// TakeEvent() until there is none, and OnDeadline() at deadline().
// Memory: what was not taken, and the numbers of the server; a message is moved, not copied.
// Thread-compatible.
class SocketIoSession {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // From OnOpened() to SocketConnected.
  static constexpr std::chrono::seconds kConnectTimeout{20};
  // Of pingInterval, and of pingTimeout; a server that says more breaks the protocol.
  static constexpr std::chrono::milliseconds kMaxPingTime{3'600'000};
  // What may be sent to a server that does not name its maxPayload; what socket.io itself takes.
  static constexpr size_t kDefaultMaxPayloadBytes = 1000000;
  // A server that takes more is sent no more than this.
  static constexpr size_t kMaxPayloadBytes = size_t{64} * 1024 * 1024;
  // Binary frames that one event of the server may announce.
  static constexpr size_t kMaxAttachments = 64;
  // Of the JSON in a packet that is looked into, and lists and objects within each other there.
  static constexpr size_t kMaxPacketJsonBytes = size_t{64} * 1024;
  static constexpr size_t kMaxPacketJsonDepth = 32;
  // Of what a server says when it refuses us. Further characters are left out.
  static constexpr size_t kMaxReasonCharacters = 500;

  void OnOpened(TimePoint now);
  void OnFrame(SocketFrameKind kind, std::string bytes, TimePoint now);
  // Sends one message, as two frames.
  //   kFailedPrecondition  not connected
  //   kResourceExhausted   longer than the server takes; it would close the connection
  absl::Status Send(std::string message);
  bool is_connected() const { return phase_ == Phase::kConnected; }
  // What Send() takes on this connection.
  size_t max_message_bytes() const { return max_payload_bytes_; }

  // nullopt: none.
  std::optional<TimePoint> deadline() const;
  // Too early it does nothing.
  void OnDeadline(TimePoint now);

  std::optional<SocketFrame> TakeFrame();
  std::optional<SocketEvent> TakeEvent();

 private:
  enum class Phase : uint8_t { kClosed, kOpening, kConnecting, kConnected };

  // An event whose attachments have not all come.
  struct Announced {
    size_t missing = 0;
    bool is_message = false;
  };

  void OnText(std::string_view text, TimePoint now);
  void OnBinary(std::string bytes);
  void OnOpenPacket(std::string_view json_text, TimePoint now);
  void OnMessagePacket(std::string_view packet);
  void OnConnectPacket();
  void OnRefusalPacket(std::string_view json_text);
  // `packet` without its type.
  void OnBinaryEvent(std::string_view packet, bool is_ack);
  void ExpectPing(TimePoint now);
  void FailProtocol(std::string_view what);
  void Close(SocketClosed closed);

  Phase phase_ = Phase::kClosed;
  TimePoint connect_until_{};
  TimePoint ping_until_{};
  std::chrono::milliseconds ping_time_{};  // without a ping
  size_t max_payload_bytes_ = kDefaultMaxPayloadBytes;
  std::optional<Announced> announced_;
  std::deque<SocketFrame> frames_;
  std::deque<SocketEvent> events_;
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_SOCKET_IO_H_
