#include "bulk_service.h"

#include <absl/strings/numbers.h>

#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::bench {
namespace {

using connect::Headers;
using connect::TimePoint;

constexpr std::string_view kDown = "/down/";

class BulkHandler final : public upstream::RequestHandler {
 public:
  explicit BulkHandler(upstream::Responder& responder) : responder_(responder) {}

  void OnHeaders(const Headers& headers, TimePoint) override {
    const std::string path(headers.Get(":path").value_or(""));
    responder_.SendHeaders({{":status", "200"}, {"content-type", "application/connect+proto"}});
    size_t bytes = 0;
    if (!path.starts_with(kDown) || !absl::SimpleAtoi(path.substr(kDown.size()), &bytes)) return;
    answered_ = true;
    responder_.SendBody(std::string(bytes, 'd'));
  }
  void OnBody(std::string_view, TimePoint) override {}
  void OnRequestEnd(TimePoint) override {
    if (!answered_) responder_.SendBody("!");
    responder_.Finish();
  }
  std::optional<TimePoint> NextDeadline() const override { return std::nullopt; }
  void OnDeadline(TimePoint) override {}

 private:
  upstream::Responder& responder_;
  bool answered_ = false;
};

}  // namespace

std::unique_ptr<upstream::RequestHandler> BulkService::StartRequest(
    upstream::Responder& responder) {
  return std::make_unique<BulkHandler>(responder);
}

}  // namespace cursorwire::bench
