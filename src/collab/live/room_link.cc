#include "collab/live/room_link.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// So that a lost connection is made again within RoomLink::kMaxLost, several times.
constexpr milliseconds kFirstRoomDelay{250};
constexpr milliseconds kMaxRoomDelay{5000};
constexpr milliseconds kRoomCloseTimeout{1000};

WebSocketOptions RoomSocketOptions(WebSocketOptions options) {
  options.kind = MessageKind::kText;
  options.takes_both_kinds = true;
  options.first_delay = kFirstRoomDelay;
  options.max_delay = kMaxRoomDelay;
  options.close_timeout = kRoomCloseTimeout;
  return options;
}

}  // namespace

RoomLink::RoomLink(EventLoop& loop, WebSocketOptions options, RoomLinkUser& user)
    : user_(user),
      timer_(loop, [this] { OnTimer(); }),
      socket_(loop, RoomSocketOptions(std::move(options)), *this) {}

void RoomLink::Start() {
  lost_at_ = steady_clock::now();
  socket_.Start();
  SetTimer();
}

absl::Status RoomLink::Send(std::string message) {
  absl::Status sent = session_.Send(std::move(message));
  Work();
  return sent;
}

void RoomLink::Stop(std::function<void()> done) {
  ended_ = true;
  timer_.SetDeadline(std::nullopt);
  socket_.Stop(std::move(done));
}

void RoomLink::OnOpened() {
  open_ = true;
  session_.OnOpened(steady_clock::now());
  Work();
}

void RoomLink::OnMessage(std::string_view bytes, MessageKind kind) {
  session_.OnFrame(
      kind == MessageKind::kText ? oct::SocketFrameKind::kText : oct::SocketFrameKind::kBinary,
      std::string(bytes), steady_clock::now());
  Work();
}

void RoomLink::OnClosed(const absl::Status& why, milliseconds retry_in) {
  open_ = false;
  if (ended_) return;
  NoteLost(why);
  // No attempt is left in that time.
  if (steady_clock::now() + retry_in > *lost_at_ + kMaxLost) return End(why);
  SetTimer();
}

void RoomLink::NoteLost(const absl::Status& why) {
  const bool is_new = lost_why_.ok();
  lost_why_ = why;
  if (!lost_at_) lost_at_ = steady_clock::now();
  if (is_new) user_.OnLost(why);
}

void RoomLink::OnTimer() {
  const auto now = steady_clock::now();
  if (ended_) return;
  if (lost_at_ && *lost_at_ + kMaxLost <= now) {
    return End(lost_why_.ok() ? absl::UnavailableError("the server lets nobody into the room")
                              : lost_why_);
  }
  if (open_) session_.OnDeadline(now);
  Work();
}

void RoomLink::Work() {
  while (auto frame = session_.TakeFrame()) {
    const bool is_text = frame->kind == oct::SocketFrameKind::kText;
    socket_.Send(std::move(frame->bytes), is_text ? MessageKind::kText : MessageKind::kBinary);
  }
  while (!ended_) {
    const std::optional<oct::SocketEvent> event = session_.TakeEvent();
    if (!event) break;
    std::visit([this](const auto& it) { Take(it); }, *event);
  }
  SetTimer();
}

void RoomLink::Take(oct::SocketConnected /*event*/) {
  lost_at_.reset();
  lost_why_ = absl::OkStatus();
  user_.OnConnected(session_.max_message_bytes());
}

void RoomLink::Take(const oct::SocketMessage& event) { user_.OnMessage(event.bytes); }

void RoomLink::Take(const oct::SocketClosed& event) {
  if (event.is_final) return End(event.status);
  socket_.Fail(absl::IsUnavailable(event.status) ? kCloseGoingAway : kCloseProtocolError,
               event.status);
}

void RoomLink::End(const absl::Status& status) {
  ended_ = true;
  timer_.SetDeadline(std::nullopt);
  user_.OnEnded(status);
}

void RoomLink::SetTimer() {
  if (ended_) return;
  std::optional<steady_clock::time_point> next;
  if (open_) next = session_.deadline();
  if (lost_at_) next = std::min(next.value_or(*lost_at_ + kMaxLost), *lost_at_ + kMaxLost);
  timer_.SetDeadline(next);
}

}  // namespace cursorwire::collab
