#include "collab/socket/web_socket.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "base/error.h"
#include "collab/socket/reconnect_delay.h"
#include "collab/socket/web_socket_address.h"
#include "collab/socket/web_socket_link.h"

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::function<double()> WebSocketRandom() {
  return [engine = std::mt19937(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

// Source: RFC 9110, 5.6.2 and 5.5, without bytes beyond ASCII.
bool IsHeader(std::string_view name, std::string_view value) {
  const auto is_of_name = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  };
  const auto is_of_value = [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c)) || c == '\t';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_of_name) &&
         std::all_of(value.begin(), value.end(), is_of_value);
}

}  // namespace

absl::Status CheckWebSocketUrl(std::string_view url, bool allow_plaintext) {
  return ParseWebSocketUrl(url, allow_plaintext).status();
}

class WebSocket::Impl final : public LinkUser, public std::enable_shared_from_this<Impl> {
 public:
  Impl(EventLoop& loop, WebSocketOptions options, WebSocketUser& user)
      : loop_(loop),
        user_(&user),
        options_(std::move(options)),
        delay_({.first = options_.first_delay, .max = options_.max_delay}),
        retry_(loop, [this] { Connect(); }) {
    if (!options_.random) options_.random = WebSocketRandom();
  }

  void Start();
  void Send(std::string bytes, std::optional<MessageKind> kind);
  void Fail(uint16_t code, absl::Status why);
  void Stop(std::function<void()> done);
  // The WebSocket ends.
  void Leave();

  void OnLinkOpened() override;
  void OnLinkMessage(std::string_view bytes, MessageKind kind) override;
  void OnLinkEnded(const absl::Status& why, LinkEnd end) override;

 private:
  void Connect();
  absl::StatusOr<std::shared_ptr<Link>> NewLink();

  EventLoop& loop_;
  WebSocketUser* user_;  // nullptr after Stop() or the end of the WebSocket
  WebSocketOptions options_;
  ReconnectDelay delay_;
  Timer retry_;
  // A link holds itself while it works: see web_socket_link.cc.
  std::shared_ptr<Link> link_;
  std::function<void()> done_;
};

void WebSocket::Impl::Start() { retry_.SetDeadline(steady_clock::now()); }

void WebSocket::Impl::Connect() {
  const auto self = shared_from_this();  // the user may destroy the WebSocket
  if (user_ == nullptr) return;
  absl::StatusOr<std::shared_ptr<Link>> link = NewLink();
  if (!link.ok()) {
    OnLinkEnded(link.status(), LinkEnd::kLost);
    return;
  }
  link_ = *std::move(link);
  link_->Begin();
}

absl::StatusOr<std::shared_ptr<Link>> WebSocket::Impl::NewLink() {
  absl::StatusOr<WebSocketAddress> address =
      ParseWebSocketUrl(options_.url, options_.allow_plaintext);
  if (!address.ok()) return address.status();
  for (const auto& [name, value] : options_.headers) {
    if (!IsHeader(name, value)) return InvalidArgument("a header that cannot be sent");
  }
  return MakeLink(loop_,
                  std::make_shared<const WebSocketPlan>(
                      WebSocketPlan{.options = options_, .address = *std::move(address)}),
                  weak_from_this());
}

void WebSocket::Impl::OnLinkOpened() {
  delay_.OnConnected(steady_clock::now());
  if (user_ != nullptr) user_->OnOpened();
}

void WebSocket::Impl::OnLinkMessage(std::string_view bytes, MessageKind kind) {
  if (user_ != nullptr) user_->OnMessage(bytes, kind);
}

void WebSocket::Impl::OnLinkEnded(const absl::Status& why, LinkEnd end) {
  link_.reset();
  if (user_ == nullptr) return;
  const steady_clock::time_point now = steady_clock::now();
  delay_.OnClosed(now, end == LinkEnd::kServerRestarts);
  const milliseconds retry_in = delay_.Next(options_.random());
  retry_.SetDeadline(now + retry_in);
  user_->OnClosed(why, retry_in);
}

void WebSocket::Impl::Send(std::string bytes, std::optional<MessageKind> kind) {
  if (link_ == nullptr || user_ == nullptr) return;
  if (link_->Send(std::move(bytes), kind.value_or(options_.kind))) return;
  Fail(kClosePolicy,
       LocalError(absl::StatusCode::kResourceExhausted,
                  absl::StrCat("over ", kMaxUnsentBytes,
                               " bytes are unsent: the server does not read fast enough")));
}

void WebSocket::Impl::Fail(uint16_t code, absl::Status why) {
  if (link_ == nullptr || user_ == nullptr) return;
  std::exchange(link_, nullptr)->Close(code, Unsent::kDrop, nullptr);
  loop_.Post([weak = weak_from_this(), why = std::move(why)] {
    if (const auto self = weak.lock()) self->OnLinkEnded(why, LinkEnd::kLost);
  });
}

void WebSocket::Impl::Stop(std::function<void()> done) {
  user_ = nullptr;
  retry_.SetDeadline(std::nullopt);
  done_ = std::move(done);
  auto closed = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->loop_.Post([weak] {
      const auto impl = weak.lock();
      const auto call = impl == nullptr ? nullptr : std::exchange(impl->done_, nullptr);
      if (call) call();
    });
  };
  if (link_ == nullptr) {
    closed();
  } else {
    std::exchange(link_, nullptr)->Close(kCloseNormal, Unsent::kSend, closed);
  }
}

void WebSocket::Impl::Leave() {
  user_ = nullptr;
  done_ = nullptr;
  retry_.SetDeadline(std::nullopt);
  if (const auto link = std::exchange(link_, nullptr)) link->Abort();
}

WebSocket::WebSocket(EventLoop& loop, WebSocketOptions options, WebSocketUser& user)
    : impl_(std::make_shared<Impl>(loop, std::move(options), user)) {}

WebSocket::~WebSocket() { impl_->Leave(); }

void WebSocket::Start() { impl_->Start(); }

void WebSocket::Send(std::string bytes) { impl_->Send(std::move(bytes), std::nullopt); }

void WebSocket::Send(std::string bytes, MessageKind kind) { impl_->Send(std::move(bytes), kind); }

void WebSocket::Fail(uint16_t code, absl::Status why) { impl_->Fail(code, std::move(why)); }

void WebSocket::Stop(std::function<void()> done) { impl_->Stop(std::move(done)); }

}  // namespace cursorwire::collab
