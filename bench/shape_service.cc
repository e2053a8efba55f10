#include "shape_service.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "net/poller.h"
#include "shape.h"
#include "text_message.h"
#include "wire/envelope.h"

namespace cursorwire::bench {
namespace {

using connect::Headers;
using connect::TimePoint;

constexpr std::chrono::milliseconds kPace{1};
constexpr size_t kMaxRequestBytes = size_t{1024} * 1024;
constexpr uint32_t kRefusedStream = 7;  // RFC 9113, 7

std::string Envelope(uint8_t flags, std::string_view payload) {
  std::string envelope;
  // Cannot fail: no payload here is longer than kMaxMessageBytes.
  (void)wire::AppendEnvelope(flags, payload, envelope);
  return envelope;
}

// AgentServerMessage.interaction_update.turn_ended, empty.
constexpr std::string_view kTurnEnded("\x0a\x02\x72\x00", 4);

struct Order {
  Shape shape{};
  size_t messages = 0;
};

std::optional<Order> OrderOf(std::string_view name, std::string_view messages,
                             std::string_view bytes) {
  Order order;
  const Shape* shape = FindShape(name);
  if (shape == nullptr) return std::nullopt;
  order.shape = *shape;
  const bool numbers = absl::SimpleAtoi(ToAbsl(messages), &order.messages) &&
                       absl::SimpleAtoi(ToAbsl(bytes), &order.shape.message_bytes);
  if (!numbers || order.messages > kMaxMessages || order.shape.message_bytes < kMinMessageBytes ||
      order.shape.message_bytes > kMaxMessageBytes) {
    return std::nullopt;
  }
  return order;
}

// The order in the first message of a turn; nullopt: it is not there yet, or it is wrong.
std::optional<Order> OrderInPrompt(std::string_view request) {
  const size_t start = request.find(kPromptWord);
  if (start == std::string_view::npos) return std::nullopt;
  const std::string_view rest = request.substr(start);
  const size_t end = rest.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::vector<std::string> words = absl::StrSplit(ToAbsl(rest.substr(0, end)), ' ');
  return words.size() == 4 ? OrderOf(words[1], words[2], words[3]) : std::nullopt;
}

class ShapeHandler final : public upstream::RequestHandler {
 public:
  explicit ShapeHandler(upstream::Responder& responder) : responder_(responder) {}

  void OnHeaders(const Headers& headers, TimePoint now) override {
    content_type_ = headers.Get("content-type").value_or("");
    const auto name = headers.Get(kShapeHeader);
    turn_ = !name.has_value();
    if (turn_) return;
    Begin(OrderOf(*name, headers.Get(kCountHeader).value_or(""),
                  headers.Get(kBytesHeader).value_or("")),
          now);
  }

  void OnBody(std::string_view bytes, TimePoint now) override {
    if (shape_.kind == ShapeKind::kPingPong && begun_) return responder_.SendBody(bytes);
    if (!turn_ || begun_) return;
    request_.append(bytes);
    const std::optional<Order> order = OrderInPrompt(request_);
    if (order || request_.size() > kMaxRequestBytes) Begin(order, now);
  }

  void OnRequestEnd(TimePoint) override {
    if (begun_ && shape_.kind == ShapeKind::kPingPong) End();
  }

  std::optional<TimePoint> NextDeadline() const override { return due_; }

  void OnDeadline(TimePoint now) override {
    due_ = now + kPace;
    SendOne();
    if (left_ > 0) return;
    due_.reset();
    End();
  }

 private:
  void Begin(const std::optional<Order>& order, TimePoint now) {
    if (!order) return responder_.Reset(kRefusedStream);
    begun_ = true;
    shape_ = order->shape;
    left_ = order->messages;
    responder_.SendHeaders({{":status", "200"}, {"content-type", content_type_}});
    message_ = Envelope(0, TextMessage(shape_.message_bytes));
    if (shape_.kind == ShapeKind::kPingPong) return;
    if (shape_.kind == ShapeKind::kPaced) {
      due_ = now + kPace;
      return;
    }
    while (left_ > 0) SendOne();
    if (shape_.kind != ShapeKind::kIdle) End();
  }

  void SendOne() {
    --left_;
    if (shape_.kind == ShapeKind::kBulk) return responder_.SendBody(message_);
    responder_.SendBodyFrame(message_);
    // Sends no raw bytes, but turns what was sent so far into a TLS record.
    if (shape_.kind == ShapeKind::kRecord) responder_.SendRawBytes({});
  }

  void End() {
    if (content_type_.starts_with("application/grpc")) return;
    if (turn_) responder_.SendBody(Envelope(0, kTurnEnded));
    responder_.SendBody(Envelope(wire::kEnvelopeEndStream, "{}"));
    responder_.Finish();
  }

  upstream::Responder& responder_;
  std::string content_type_;
  bool turn_ = false;    // of the agent: its prompt says what it wants
  std::string request_;  // of a turn, until it has begun
  bool begun_ = false;
  Shape shape_{};
  size_t left_ = 0;
  std::string message_;
  std::optional<TimePoint> due_;
};

}  // namespace

std::unique_ptr<upstream::RequestHandler> ShapeService::StartRequest(
    upstream::Responder& responder) {
  return std::make_unique<ShapeHandler>(responder);
}

}  // namespace cursorwire::bench
