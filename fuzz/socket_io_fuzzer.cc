// A server of socket.io that sends anything, to a client that sends messages meanwhile.
//
// Input: steps, each of a byte that says what comes. 0: a text frame. 1: a binary frame. 2: a
// message of ours. Each of them is a piece of the input with its length in two bytes in front.
// 3: time, in units of 10 seconds in one byte. 4: another WebSocket. 5: a complete handshake.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "collab/oct/socket_io.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using cursorwire::oct::SocketClosed;
using cursorwire::oct::SocketConnected;
using cursorwire::oct::SocketEvent;
using cursorwire::oct::SocketFrame;
using cursorwire::oct::SocketFrameKind;
using cursorwire::oct::SocketIoSession;

constexpr std::string_view kOpenPacket =
    R"(0{"pingInterval":25000,"pingTimeout":20000,"maxPayload":100})";

class Client {
 public:
  void Step(FuzzedInput& input) {
    switch (input.TakeByte() % 6) {
      case 0:
        return Receive(SocketFrameKind::kText, Piece(input));
      case 1:
        return Receive(SocketFrameKind::kBinary, Piece(input));
      case 2:
        return Send(Piece(input));
      case 3:
        return Wait(std::chrono::seconds(10) * input.TakeByte());
      case 4:
        return Open();
      default:
        Open();
        Receive(SocketFrameKind::kText, std::string(kOpenPacket));
        Receive(SocketFrameKind::kText, "40");
        Check(is_connected_);
    }
  }

 private:
  static std::string Piece(FuzzedInput& input) {
    const size_t size = input.TakeUint16();
    return std::string(input.Take(size));
  }

  void Open() {
    session_.OnOpened(now_);
    is_connected_ = false;
    is_closed_ = false;
    Collect(0);
  }
  void Receive(SocketFrameKind kind, std::string bytes) {
    const size_t size = bytes.size();
    session_.OnFrame(kind, std::move(bytes), now_);
    Collect(size);
  }
  void Send(std::string message) {
    const std::string copy = message;
    const bool is_sent = session_.Send(std::move(message)).ok();
    const bool may_be_sent =
        is_connected_ && !is_closed_ && copy.size() <= session_.max_message_bytes();
    Check(is_sent == may_be_sent);
    if (!is_sent) return;
    const std::optional<SocketFrame> head = session_.TakeFrame();
    const std::optional<SocketFrame> attachment = session_.TakeFrame();
    Check(head && head->kind == SocketFrameKind::kText);
    Check(attachment && attachment->kind == SocketFrameKind::kBinary && attachment->bytes == copy);
  }
  void Wait(std::chrono::seconds time) {
    now_ += time;
    session_.OnDeadline(now_);
    Collect(0);
    Check(!session_.deadline() || *session_.deadline() > now_);
  }

  // What one frame of `size` bytes, or less, has brought about.
  void Collect(size_t size) {
    size_t frames = 0;
    while (const std::optional<SocketFrame> frame = session_.TakeFrame()) {
      Check(!is_closed_ && ++frames == 1);
      Check(frame->kind == SocketFrameKind::kText);
      Check(frame->bytes == "3" || frame->bytes == "40");
    }
    size_t events = 0;
    while (const std::optional<SocketEvent> event = session_.TakeEvent()) {
      Check(!is_closed_ && ++events == 1);
      Take(*event, size);
    }
    Check(session_.is_connected() == (is_connected_ && !is_closed_));
    Check(session_.deadline().has_value() != is_closed_);
  }
  void Take(const SocketEvent& event, size_t size) {
    if (const auto* const closed = std::get_if<SocketClosed>(&event)) {
      is_closed_ = true;
      Check(closed->is_final || !closed->status.ok());
    } else if (std::holds_alternative<SocketConnected>(event)) {
      Check(!is_connected_);
      is_connected_ = true;
    } else {
      Check(is_connected_);
      Check(std::get<cursorwire::oct::SocketMessage>(event).bytes.size() == size);
    }
  }

  SocketIoSession session_;
  SocketIoSession::TimePoint now_{std::chrono::hours(1)};
  bool is_connected_ = false;
  bool is_closed_ = true;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  Client client;
  while (!input.empty()) client.Step(input);
  return 0;
}
