#include "shape_service.h"

#include <absl/strings/numbers.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "net/poller.h"
#include "shape.h"
#include "wire/envelope.h"

namespace cursorwire::bench {
namespace {

using connect::Headers;
using connect::TimePoint;

constexpr std::chrono::milliseconds kPace{1};
constexpr uint32_t kRefusedStream = 7;  // RFC 9113, 7

std::string Envelope(uint8_t flags, std::string_view payload) {
  std::string envelope;
  // Cannot fail: no payload here is longer than 64 KiB.
  (void)wire::AppendEnvelope(flags, payload, envelope);
  return envelope;
}

class ShapeHandler final : public upstream::RequestHandler {
 public:
  explicit ShapeHandler(upstream::Responder& responder) : responder_(responder) {}

  void OnHeaders(const Headers& headers, TimePoint now) override {
    const std::string path(headers.Get(":path").value_or(""));
    shape_ = path.empty() ? nullptr : FindShape(path.substr(1));
    const std::string count(headers.Get(kCountHeader).value_or(""));
    if (shape_ == nullptr || !absl::SimpleAtoi(count, &left_)) {
      return responder_.Reset(kRefusedStream);
    }
    responder_.SendHeaders({{":status", "200"}, {"content-type", "application/connect+proto"}});
    message_ = Envelope(0, std::string(shape_->message_bytes, 'm'));
    if (shape_->kind == ShapeKind::kPingPong) return;
    if (shape_->kind == ShapeKind::kPaced) {
      due_ = now + kPace;
      return;
    }
    while (left_ > 0) SendOne();
    End();
  }

  void OnBody(std::string_view bytes, TimePoint) override {
    if (shape_ != nullptr && shape_->kind == ShapeKind::kPingPong) responder_.SendBody(bytes);
  }

  void OnRequestEnd(TimePoint) override {
    if (shape_ != nullptr && shape_->kind == ShapeKind::kPingPong) End();
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
  void SendOne() {
    --left_;
    if (shape_->kind == ShapeKind::kBulk) return responder_.SendBody(message_);
    responder_.SendBodyFrame(message_);
    // Sends no raw bytes, but turns what was sent so far into a TLS record.
    if (shape_->kind == ShapeKind::kRecord) responder_.SendRawBytes({});
  }

  void End() {
    responder_.SendBody(Envelope(wire::kEnvelopeEndStream, "{}"));
    responder_.Finish();
  }

  upstream::Responder& responder_;
  const Shape* shape_ = nullptr;
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
