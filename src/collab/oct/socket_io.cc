#include "collab/oct/socket_io.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "base/unseen.h"
#include "json/json_member.h"
#include "json/json_reader.h"

namespace cursorwire::oct {
namespace {

using nlohmann::json;

// Types of packets. Source: engine.io-protocol v4, "Packet encoding".
constexpr char kOpenPacket = '0';
constexpr char kClosePacket = '1';
constexpr char kPingPacket = '2';
constexpr char kPongPacket = '3';
constexpr char kMessagePacket = '4';
constexpr char kUpgradePacket = '5';
constexpr char kNoopPacket = '6';
// Types of what is in a message packet. Source: socket.io-protocol v5, "Packet encoding".
constexpr char kConnect = '0';
constexpr char kDisconnect = '1';
constexpr char kEvent = '2';
constexpr char kAck = '3';
constexpr char kConnectError = '4';
constexpr char kBinaryEvent = '5';
constexpr char kBinaryAck = '6';

// What stands before each of our messages: one attachment is to follow.
constexpr std::string_view kMessageEvent = R"(451-["message",{"_placeholder":true,"num":0}])";
constexpr std::string_view kConnectToRoot = "40";

json SmallObject(std::string_view text) {
  return text.size() <= SocketIoSession::kMaxPacketJsonBytes ? ParseObject(text) : json::object();
}

// The first characters that a reader sees.
std::string SeenText(std::string_view text, size_t max_characters) {
  std::string seen;
  for (size_t count = 0; !text.empty() && count < max_characters;) {
    const std::string_view before = text;
    const char32_t character = TakeCharacter(text);
    if (IsControl(character) || IsUnseen(character)) continue;
    seen += before.substr(0, before.size() - text.size());
    ++count;
  }
  return seen;
}

// A number of milliseconds; nullopt: it is none, or cannot be meant.
std::optional<std::chrono::milliseconds> PingTimeOf(const json& object, std::string_view name) {
  const json& member = MemberOf(object, name);
  if (!member.is_number()) return std::nullopt;
  const auto count = member.get<double>();
  if (!(count >= 1 && count <= static_cast<double>(SocketIoSession::kMaxPingTime.count()))) {
    return std::nullopt;
  }
  return std::chrono::milliseconds(static_cast<int64_t>(count));
}

// nullopt: it cannot be meant.
std::optional<size_t> MaxPayloadOf(const json& object) {
  const json& member = MemberOf(object, "maxPayload");
  if (member.is_null()) return SocketIoSession::kDefaultMaxPayloadBytes;
  if (!member.is_number()) return std::nullopt;
  const auto bytes = member.get<double>();
  if (!(bytes >= 1)) return std::nullopt;
  const auto most = static_cast<double>(SocketIoSession::kMaxPayloadBytes);
  return static_cast<size_t>(std::min(bytes, most));
}

// Whether the JSON of an event with one attachment is kMessageEvent's. nullopt: it is no JSON.
std::optional<bool> IsMessageEvent(std::string_view text) {
  json event;
  const JsonBounds bounds{.max_depth = SocketIoSession::kMaxPacketJsonDepth};
  if (text.size() > SocketIoSession::kMaxPacketJsonBytes || ReadJson(text, bounds, event)) {
    return std::nullopt;
  }
  if (!event.is_array() || event.size() < 2 || event[0] != "message") return false;
  return FlagOf(event[1], "_placeholder") && MemberOf(event[1], "num") == 0;
}

std::string_view WithoutDigits(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  return text.substr(static_cast<size_t>(end - text.begin()));
}

}  // namespace

void SocketIoSession::OnOpened(TimePoint now) {
  *this = SocketIoSession();
  phase_ = Phase::kOpening;
  connect_until_ = now + kConnectTimeout;
}

void SocketIoSession::OnFrame(SocketFrameKind kind, std::string bytes, TimePoint now) {
  if (phase_ == Phase::kClosed) return;
  if (kind == SocketFrameKind::kText) {
    OnText(bytes, now);
  } else {
    OnBinary(std::move(bytes));
  }
}

void SocketIoSession::OnText(std::string_view text, TimePoint now) {
  const char type = text.empty() ? '\0' : text[0];
  if (phase_ == Phase::kOpening) {
    if (type != kOpenPacket) return FailProtocol("it does not begin with an open packet");
    return OnOpenPacket(text.substr(1), now);
  }
  switch (type) {
    case kPingPacket:
      frames_.push_back({.kind = SocketFrameKind::kText, .bytes = std::string(1, kPongPacket)});
      return ExpectPing(now);
    case kMessagePacket:
      if (announced_) return FailProtocol("text came in place of an attachment");
      return OnMessagePacket(text.substr(1));
    case kClosePacket:
    case kPongPacket:
    case kUpgradePacket:
    case kNoopPacket:
      return;
    default:
      return FailProtocol("a packet of an unknown type");
  }
}

void SocketIoSession::OnBinary(std::string bytes) {
  if (!announced_) return FailProtocol("a binary frame that was not announced");
  const bool is_message = announced_->is_message;
  if (--announced_->missing == 0) announced_.reset();
  if (is_message) events_.emplace_back(SocketMessage{.bytes = std::move(bytes)});
}

void SocketIoSession::OnOpenPacket(std::string_view json_text, TimePoint now) {
  const json open = SmallObject(json_text);
  const auto interval = PingTimeOf(open, "pingInterval");
  const auto timeout = PingTimeOf(open, "pingTimeout");
  const std::optional<size_t> max_payload = MaxPayloadOf(open);
  if (!interval || !timeout) return FailProtocol("it does not say when it pings");
  if (!max_payload) return FailProtocol("its maxPayload is no size");
  ping_time_ = *interval + *timeout;
  max_payload_bytes_ = *max_payload;
  phase_ = Phase::kConnecting;
  ExpectPing(now);
  frames_.push_back({.kind = SocketFrameKind::kText, .bytes = std::string(kConnectToRoot)});
}

void SocketIoSession::OnMessagePacket(std::string_view packet) {
  if (packet.empty()) return FailProtocol("a message packet without a type");
  const char type = packet[0];
  packet.remove_prefix(1);
  const bool is_of_other_namespace = packet.starts_with('/');
  switch (type) {
    case kConnect:
      if (!is_of_other_namespace) OnConnectPacket();
      return;
    case kDisconnect:
      if (!is_of_other_namespace) Close({.status = absl::OkStatus(), .is_final = true});
      return;
    case kConnectError:
      if (!is_of_other_namespace) OnRefusalPacket(packet);
      return;
    case kEvent:
    case kAck:
      return;
    case kBinaryEvent:
    case kBinaryAck:
      return OnBinaryEvent(packet, type == kBinaryAck);
    default:
      return FailProtocol("a message packet of an unknown type");
  }
}

void SocketIoSession::OnConnectPacket() {
  if (phase_ != Phase::kConnecting) return;
  phase_ = Phase::kConnected;
  events_.emplace_back(SocketConnected{});
}

void SocketIoSession::OnRefusalPacket(std::string_view json_text) {
  const std::string reason =
      SeenText(TextOf(SmallObject(json_text), "message"), kMaxReasonCharacters);
  const std::string_view shown = reason.empty() ? "no reason is given" : std::string_view(reason);
  Close({.status = MakeError(absl::StatusCode::kPermissionDenied,
                             absl::StrCat("the server refuses the connection: ", ToAbsl(shown)),
                             {.origin = connect::ErrorOrigin::kServer}),
         .is_final = true});
}

// "<count>-[/<namespace>,][<ack id>]<JSON>"
void SocketIoSession::OnBinaryEvent(std::string_view packet, bool is_ack) {
  if (phase_ != Phase::kConnected) return FailProtocol("an event before the connection");
  const std::string_view rest = WithoutDigits(packet);
  const std::string_view digits = packet.substr(0, packet.size() - rest.size());
  uint32_t count = 0;
  if (!rest.starts_with('-') || !absl::SimpleAtoi(ToAbsl(digits), &count)) {
    return FailProtocol("an event does not say how many attachments it has");
  }
  if (count > kMaxAttachments) {
    return FailProtocol(
        absl::StrCat("an event has ", count, " attachments; ", kMaxAttachments, " are allowed"));
  }
  if (count == 0) return;
  announced_ = Announced{.missing = count};
  const std::string_view arguments = rest.substr(1);
  if (is_ack || count > 1 || arguments.starts_with('/')) return;
  const std::optional<bool> is_message = IsMessageEvent(WithoutDigits(arguments));
  if (!is_message) return FailProtocol("an event is not JSON");
  announced_->is_message = *is_message;
}

absl::Status SocketIoSession::Send(std::string message) {
  if (phase_ != Phase::kConnected) {
    return LocalError(absl::StatusCode::kFailedPrecondition, "not connected to the room's server");
  }
  if (message.size() > max_payload_bytes_) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("message of ", message.size(), " bytes is too large: the server",
                                   " takes ", max_payload_bytes_));
  }
  frames_.push_back({.kind = SocketFrameKind::kText, .bytes = std::string(kMessageEvent)});
  frames_.push_back({.kind = SocketFrameKind::kBinary, .bytes = std::move(message)});
  return absl::OkStatus();
}

std::optional<SocketIoSession::TimePoint> SocketIoSession::deadline() const {
  switch (phase_) {
    case Phase::kClosed:
      return std::nullopt;
    case Phase::kOpening:
      return connect_until_;
    case Phase::kConnecting:
      return std::min(connect_until_, ping_until_);
    case Phase::kConnected:
      return ping_until_;
  }
  return std::nullopt;
}

void SocketIoSession::OnDeadline(TimePoint now) {
  const std::optional<TimePoint> due = deadline();
  if (!due || now < *due) return;
  const bool is_ping = phase_ != Phase::kOpening && ping_until_ == *due;
  const std::string what =
      is_ping ? absl::StrCat("the server was silent for ", ping_time_.count(), " ms")
              : absl::StrCat("the server did not let us in within ", kConnectTimeout.count(), " s");
  Close({.status = TransportError(what, Replay::kUnsafe)});
}

std::optional<SocketFrame> SocketIoSession::TakeFrame() {
  if (frames_.empty()) return std::nullopt;
  SocketFrame frame = std::move(frames_.front());
  frames_.pop_front();
  return frame;
}

std::optional<SocketEvent> SocketIoSession::TakeEvent() {
  if (events_.empty()) return std::nullopt;
  SocketEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void SocketIoSession::ExpectPing(TimePoint now) { ping_until_ = now + ping_time_; }

// A server that has not let us in speaks another protocol.
void SocketIoSession::FailProtocol(std::string_view what) {
  Close({.status = ProtocolError(absl::StrCat("socket.io: ", ToAbsl(what))),
         .is_final = phase_ != Phase::kConnected});
}

void SocketIoSession::Close(SocketClosed closed) {
  phase_ = Phase::kClosed;
  announced_.reset();
  frames_.clear();
  events_.emplace_back(std::move(closed));
}

}  // namespace cursorwire::oct
