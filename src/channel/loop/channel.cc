#include "cursorwire/connect/channel.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/url.h"
#include "channel/loop/driver.h"
#include "channel/loop/intercepted_call.h"
#include "channel/loop/sibling_call.h"
#include "net/poller.h"

namespace cursorwire::connect {
namespace {

constexpr uint32_t kMaxWindowBytes = 0x7fffffff;  // RFC 9113, 6.9.1

// What a program computed and came out negative must not mean "no limit".
absl::Status CheckTimes(const ChannelOptions& options) {
  const struct {
    const char* name;
    std::chrono::milliseconds time;
  } times[] = {{"http2.connect_timeout", options.http2.connect_timeout},
               {"http2.unused_timeout", options.http2.unused_timeout},
               {"http2.stream_timeout", options.http2.stream_timeout},
               {"http2.keepalive.interval", options.http2.keepalive.interval},
               {"http2.keepalive.timeout", options.http2.keepalive.timeout}};
  for (const auto& [name, time] : times) {
    if (time.count() >= 0) continue;
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat(name, " must not be negative; 0 means no limit"));
  }
  return absl::OkStatus();
}

// Stands in for the observer of a call that was started without one.
class NoObserver final : public CallObserver {
 public:
  void OnMessage(const MessageView& message) override { call_.ReleaseCredit(message.credit); }
  void OnStart(const Call& call) override { call_ = call; }
  void OnEnd(CallEnd) override { call_ = Call(); }

 private:
  Call call_;
};

// Starts a call by `start(request, observer)`, with the interceptors around it.
template <typename StartFunction>
Call StartIntercepted(internal::Driver& driver, const CallRequest& request,
                      std::shared_ptr<CallObserver> observer, const StartFunction& start) {
  if (observer == nullptr) observer = std::make_shared<NoObserver>();
  if (driver.interceptors().empty()) return start(request, std::move(observer));
  auto intercepted = std::make_shared<internal::InterceptedCall>(driver.interceptors(), request,
                                                                 std::move(observer), net::Now());
  CallRequest changed = request;
  const absl::Status status = intercepted->InterceptRequest(changed.options.headers);
  if (!status.ok()) return driver.RefuseCall(changed, std::move(intercepted), status);
  return start(changed, std::move(intercepted));
}

}  // namespace

Call ConnectionPin::Start(const CallRequest& request,
                          std::shared_ptr<CallObserver> observer) const {
  return StartIntercepted(
      *state_->driver, request, std::move(observer),
      [this](const CallRequest& changed, std::shared_ptr<CallObserver> intercepted) {
        return state_->driver->StartPinnedCall(state_, changed, std::move(intercepted));
      });
}

absl::StatusOr<Channel> Channel::Create(std::string_view url, const ChannelOptions& options) {
  absl::StatusOr<Url> parsed = ParseUrl(url);
  if (!parsed.ok()) return parsed.status();
  const bool plaintext_allowed =
      options.plaintext_hosts == PlaintextHosts::kAny ||
      (options.plaintext_hosts == PlaintextHosts::kLoopback && parsed->is_loopback());
  if (!parsed->https && !plaintext_allowed) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      options.plaintext_hosts == PlaintextHosts::kNone
                          ? "bad URL: http:// is not allowed; use https://"
                          : "bad URL: http:// is allowed to this machine only; use https://");
  }
  if (options.http2.stream_window_bytes == 0 ||
      options.http2.stream_window_bytes > kMaxWindowBytes) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "http2.stream_window_bytes must be from 1 to 2147483647");
  }
  if (options.http2.max_connections < 1) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "http2.max_connections must be 1 or more");
  }
  if (absl::Status status = CheckTimes(options); !status.ok()) return status;
  if (std::count(options.interceptors.begin(), options.interceptors.end(), nullptr) > 0) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "one of ChannelOptions::interceptors is null");
  }
  absl::StatusOr<std::shared_ptr<internal::Driver>> driver =
      internal::Driver::Start(*std::move(parsed), options);
  if (!driver.ok()) return driver.status();
  return Channel(*std::move(driver));
}

Channel::Channel(std::shared_ptr<internal::Driver> driver) : driver_(std::move(driver)) {}
Channel::Channel(Channel&&) noexcept = default;

Channel& Channel::operator=(Channel&& other) noexcept {
  if (this != &other) {
    if (driver_ != nullptr) driver_->Stop();
    driver_ = std::move(other.driver_);
  }
  return *this;
}

Channel::~Channel() {
  if (driver_ != nullptr) driver_->Stop();
}

Call Channel::Start(const CallRequest& request, std::shared_ptr<CallObserver> observer) const {
  return StartIntercepted(
      *driver_, request, std::move(observer),
      [this](const CallRequest& changed, std::shared_ptr<CallObserver> intercepted) {
        return driver_->StartCall(changed, std::move(intercepted));
      });
}

namespace internal {

Call StartSibling(const Call& sibling, const CallRequest& request,
                  std::shared_ptr<CallObserver> observer) {
  Driver& driver = Driver::Of(sibling);
  return StartIntercepted(
      driver, request, std::move(observer),
      [&driver](const CallRequest& changed, std::shared_ptr<CallObserver> intercepted) {
        return driver.StartCall(changed, std::move(intercepted));
      });
}

Call HoldSibling(const Call& sibling, std::shared_ptr<CallObserver> observer) {
  return Driver::Of(sibling).HoldCall(std::move(observer));
}

}  // namespace internal

ConnectionPin Channel::Pin(std::shared_ptr<ConnectionObserver> observer) const {
  return ConnectionPin(driver_->Pin(std::move(observer)));
}

}  // namespace cursorwire::connect
