#include "collab/socket/web_socket_link.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <cstring>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "collab/socket/event_loop_impl.h"
#include "collab/socket/upgrade_layer.h"
#include "net/waker.h"
#include "tls/client_context.h"
#include "tls/openssl.h"

namespace cursorwire::collab {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What is read, and what is masked and sent, at a time. A ping or pong waits for one such piece.
constexpr size_t kPieceBytes = size_t{64} * 1024;
// What the system may hold that is not on its way yet, so that pings are not behind megabytes.
constexpr int kMaxUnsentInSystemBytes = 128 * 1024;
// A buffer for messages of the server that is larger is given back after its message.
constexpr size_t kMaxKeptBufferBytes = size_t{1} * 1024 * 1024;
// For one of several addresses.
constexpr std::chrono::milliseconds kAddressTimeout{2500};
constexpr size_t kMaxReasonBytes = 200;

// With another ALPN than that of the context: RFC 6455 begins in HTTP/1.1 alone.
absl::Status PrepareWebSocketTls(SSL* ssl, const std::string& host) {
  if (SSL_set_alpn_protos(ssl, tls::kAlpnHttp1, sizeof(tls::kAlpnHttp1)) == 0) {
    return tls::SetExpectedHost(ssl, host);
  }
  return LocalError(absl::StatusCode::kInternal,
                    absl::StrCat("TLS: no ALPN: ", tls::TakeOpenSslErrors()));
}

std::string CloseText(const websocket::close_reason& reason) {
  std::string text = reason.code == websocket::close_code::none
                         ? std::string("without a code")
                         : absl::StrCat("with code ", reason.code);
  if (!reason.reason.empty()) {
    absl::StrAppend(&text, ": ",
                    Printable({reason.reason.data(), reason.reason.size()}, kMaxReasonBytes));
  }
  return text;
}

using PlainLayer = UpgradeLayer<tcp::socket>;
using TlsLayer = UpgradeLayer<asio::ssl::stream<tcp::socket>>;

// Each operation that Asio has not finished holds the link by a shared_ptr: it may end only after
// the last of them, which is after its user has let go of it.
template <typename Layer>
class LinkOver final : public Link, public std::enable_shared_from_this<LinkOver<Layer>> {
 public:
  template <typename... LayerArgs>
  LinkOver(asio::io_context& context, std::shared_ptr<const WebSocketPlan> plan,
           std::weak_ptr<LinkUser> user, LayerArgs&&... layer_args)
      : plan_(std::move(plan)),
        user_(std::move(user)),
        stream_(context, std::forward<LayerArgs>(layer_args)...),
        looked_up_(context),
        address_timer_(context),
        timer_(context),
        close_timer_(context) {}

  void Begin() override;
  bool Send(std::string bytes, MessageKind kind) override;
  void Close(uint16_t code, Unsent unsent, std::function<void()> closed) override;
  void Abort() override {
    user_.reset();
    Finish();
  }

 private:
  static constexpr bool kIsTls = std::is_same_v<Layer, TlsLayer>;

  // In the order of their steps.
  void Resolve();
  void OnResolved();
  void Connect(size_t number);
  void OnConnected();
  void ShakeTlsHands();
  void OnTlsHandshakeFailed(const error_code& error);
  void ShakeHands();
  void OnHandshakeFailed(const error_code& error);
  void OnOpened();

  void Read();
  void OnRead(const error_code& error, size_t bytes);
  void TakeMessage();
  // Of the message that is being read.
  MessageKind GotKind() const {
    return stream_.got_binary() ? MessageKind::kBinary : MessageKind::kText;
  }
  bool IsTaken(MessageKind kind) const {
    return plan_->options.takes_both_kinds || kind == plan_->options.kind;
  }
  void OnReadFailed(const error_code& error);
  void OnControlFrame(websocket::frame_type kind);

  void WriteNext();
  void OnWritten(const error_code& error);
  void DropUnsent();

  void WaitForPing(steady_clock::time_point deadline);
  void Ping();
  void OnPongTimeout();
  // Bytes of the server: they answer a ping as well as a pong does.
  void Heard();
  // True: Beast has sent a close frame for a mistake of the server, and waits for its end of TCP.
  // Ends the link then.
  bool EndAfterViolation();

  void SendCloseAfterUnsent();
  void SendClose();
  // Ends a closing handshake that the server does not go on with.
  void LimitClosing();
  void EndClosing();

  absl::Status Unavailable(std::string_view what) const {
    return TransportError(
        absl::StrCat("the server ", plan_->address.url.address(), " ", ToAbsl(what)),
        open_ ? Replay::kUnsafe : Replay::kSafe);
  }
  absl::Status ClosedByServer() const {
    return Unavailable(absl::StrCat("closed the connection ", CloseText(stream_.reason())));
  }
  // No more operations; true unless that was so.
  bool Finish();
  void End(const absl::Status& why, LinkEnd end = LinkEnd::kLost);
  void EndByServer();

  const std::shared_ptr<const WebSocketPlan> plan_;
  std::weak_ptr<LinkUser> user_;
  websocket::stream<Layer, false> stream_;  // without compression
  std::shared_ptr<net::Lookup> lookup_;
  asio::posix::stream_descriptor looked_up_;
  std::vector<tcp::endpoint> endpoints_;
  size_t attempt_ = 0;  // which of them
  asio::steady_timer address_timer_;
  asio::steady_timer timer_;  // to connect, then for pings
  asio::steady_timer close_timer_;

  bool open_ = false;
  bool finished_ = false;
  std::array<char, kPieceBytes> buffer_{};
  std::string message_;  // as far as it has come

  struct Message {
    std::string bytes{};
    MessageKind kind{};
  };
  // Many small ones take more than their bytes.
  static size_t CostOf(const std::string& bytes) { return bytes.size() + sizeof(Message); }

  std::deque<Message> unsent_;  // the first is being written, if `writing_`
  size_t unsent_bytes_ = 0;
  bool writing_ = false;

  steady_clock::time_point pinged_at_;
  bool pinging_ = false;        // the ping is not written yet
  bool awaits_answer_ = false;  // nothing has come since the ping

  bool server_closes_ = false;        // it has sent a close frame
  std::optional<uint16_t> our_code_;  // Close() was called
  bool sending_close_ = false;
  std::function<void()> closed_;
};

template <typename Layer>
void LinkOver<Layer>::Begin() {
  timer_.expires_after(plan_->options.connect_timeout);
  timer_.async_wait([this, self = this->shared_from_this()](const error_code& error) {
    if (error || finished_ || open_) return;
    End(Unavailable(absl::StrCat("did not complete a connection within ",
                                 plan_->options.connect_timeout.count(), " ms")));
  });
  Resolve();
}

template <typename Layer>
void LinkOver<Layer>::Resolve() {
  const absl::StatusOr<std::shared_ptr<net::Waker>> waker = net::Waker::Create();
  if (!waker.ok()) return End(waker.status());
  // Asio's own lookup would hold up the end of its loop until the name server answers.
  lookup_ =
      net::Lookup::Start(plan_->address.url.host, plan_->address.url.port, *waker,
                         plan_->options.resolver ? plan_->options.resolver : net::ResolveBySystem);
  if (lookup_->result()) return OnResolved();
  error_code error;
  looked_up_.assign(::fcntl((*waker)->fd(), F_DUPFD_CLOEXEC, 0), error);
  if (error) return End(Unavailable(absl::StrCat("cannot be looked up: ", error.message())));
  looked_up_.async_wait(asio::posix::stream_descriptor::wait_read,
                        [this, self = this->shared_from_this()](const error_code& failed) {
                          if (finished_) return;
                          if (failed) return End(Unavailable("cannot be looked up"));
                          OnResolved();
                        });
}

template <typename Layer>
void LinkOver<Layer>::OnResolved() {
  const auto addresses = lookup_->result();
  if (!addresses) return End(Unavailable("cannot be looked up"));
  if (!addresses->ok()) {
    return End(Unavailable(absl::StrCat("is not known: ", addresses->status().message())));
  }
  for (const net::Address& address : **addresses) {
    tcp::endpoint endpoint;
    endpoint.resize(address.size);
    std::memcpy(endpoint.data(), &address.storage, address.size);
    endpoints_.push_back(endpoint);
  }
  Connect(0);
}

// One after the other: each but the last has a time of its own, since one may be silent.
template <typename Layer>
void LinkOver<Layer>::Connect(size_t number) {
  attempt_ = number;
  tcp::socket& socket = beast::get_lowest_layer(stream_);
  error_code ignored;
  socket.close(ignored);
  if (number + 1 < endpoints_.size()) {
    address_timer_.expires_after(kAddressTimeout);
    address_timer_.async_wait([this, number, self = this->shared_from_this()](error_code error) {
      if (!error && !finished_ && attempt_ == number) Connect(number + 1);
    });
  }
  socket.async_connect(
      endpoints_[number], [this, number, self = this->shared_from_this()](const error_code& error) {
        if (finished_ || attempt_ != number) return;
        if (error && number + 1 < endpoints_.size()) return Connect(number + 1);
        if (error) {
          return End(Unavailable(absl::StrCat("cannot be connected to: ", error.message())));
        }
        attempt_ = endpoints_.size();
        OnConnected();
      });
}

template <typename Layer>
void LinkOver<Layer>::OnConnected() {
  tcp::socket& socket = beast::get_lowest_layer(stream_);
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
#ifdef TCP_NOTSENT_LOWAT
  // Not more than a wish.
  (void)::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT,
                     &kMaxUnsentInSystemBytes, sizeof(kMaxUnsentInSystemBytes));
#endif
  if constexpr (kIsTls) {
    ShakeTlsHands();
  } else {
    ShakeHands();
  }
}

template <typename Layer>
void LinkOver<Layer>::ShakeTlsHands() {
  if constexpr (kIsTls) {
    TlsLayer& layer = stream_.next_layer();
    absl::Status status = PrepareWebSocketTls(layer.native_handle(), plan_->address.url.host);
    if (!status.ok()) {
      End(status);
      return;
    }
    layer.async_handshake(TlsLayer::client,
                          [this, self = this->shared_from_this()](const error_code& error) {
                            if (finished_) return;
                            if (error) {
                              OnTlsHandshakeFailed(error);
                            } else {
                              ShakeHands();
                            }
                          });
  }
}

// The words are those of tls::Engine.
template <typename Layer>
void LinkOver<Layer>::OnTlsHandshakeFailed(const error_code& error) {
  if constexpr (kIsTls) {
    const std::string& host = plan_->address.url.host;
    const long verify = SSL_get_verify_result(stream_.next_layer().native_handle());
    End(TransportError(
        verify != X509_V_OK
            ? absl::StrCat("TLS: the certificate of ", host,
                           " is not trusted: ", X509_verify_cert_error_string(verify))
            : absl::StrCat("TLS: handshake with ", host, " failed: ", error.message()),
        Replay::kSafe));
  }
}

template <typename Layer>
void LinkOver<Layer>::ShakeHands() {
  stream_.set_option(
      websocket::stream_base::decorator([plan = plan_](websocket::request_type& request) {
        request.set(beast::http::field::user_agent, "cursorwire");
        for (const auto& [name, value] : plan->options.headers) request.set(name, value);
      }));
  stream_.read_message_max(std::max<size_t>(plan_->options.max_message_bytes, 1));
  stream_.auto_fragment(true);
  stream_.write_buffer_bytes(kPieceBytes);
  // Called within a read, which holds the link.
  stream_.control_callback(
      [this](websocket::frame_type kind, beast::string_view) { OnControlFrame(kind); });
  stream_.async_handshake(plan_->address.url.authority(), plan_->address.target,
                          [this, self = this->shared_from_this()](const error_code& error) {
                            if (finished_) return;
                            if (error) {
                              OnHandshakeFailed(error);
                            } else {
                              OnOpened();
                            }
                          });
}

template <typename Layer>
void LinkOver<Layer>::OnHandshakeFailed(const error_code& error) {
  if (error == websocket::error::upgrade_declined) {
    const int answered = stream_.next_layer().answered_status();
    const bool is_login = answered == 401 || answered == 403;
    const absl::Status status = Unavailable(
        absl::StrCat("answered with HTTP status ", answered, " in place of 101: ",
                     is_login ? "it refuses the login" : "is this the URL of a WebSocket?"));
    const absl::StatusCode code = answered == 401   ? absl::StatusCode::kUnauthenticated
                                  : answered == 403 ? absl::StatusCode::kPermissionDenied
                                                    : absl::StatusCode::kUnavailable;
    End(MakeError(
        code, ToStd(status.message()),
        {.origin = connect::ErrorOrigin::kServer, .replay_safe = true, .http_status = answered}));
    return;
  }
  End(Unavailable(absl::StrCat("did not complete the handshake of a WebSocket: ",
                               Printable(error.message(), kMaxReasonBytes))));
}

template <typename Layer>
void LinkOver<Layer>::OnOpened() {
  open_ = true;
  WaitForPing(steady_clock::now() + plan_->options.ping_interval);
  Read();
  if (const auto user = user_.lock()) user->OnLinkOpened();
}

template <typename Layer>
void LinkOver<Layer>::Read() {
  stream_.async_read_some(asio::buffer(buffer_), [this, self = this->shared_from_this()](
                                                     const error_code& error, size_t bytes) {
    if (!finished_) OnRead(error, bytes);
  });
}

template <typename Layer>
void LinkOver<Layer>::OnRead(const error_code& error, size_t bytes) {
  if (error) {
    OnReadFailed(error);
    return;
  }
  Heard();
  // While this side closes, messages are read only so that the server goes on reading, too.
  if (IsTaken(GotKind()) && !our_code_) {
    message_.append(buffer_.data(), bytes);
    if (stream_.is_message_done()) TakeMessage();
  }
  if (!finished_ && !sending_close_) Read();
}

template <typename Layer>
void LinkOver<Layer>::TakeMessage() {
  if (const auto user = user_.lock()) user->OnLinkMessage(message_, GotKind());
  message_.clear();
  if (message_.capacity() > kMaxKeptBufferBytes) message_ = std::string();
}

template <typename Layer>
void LinkOver<Layer>::OnReadFailed(const error_code& error) {
  if (our_code_) {
    if (!sending_close_) EndClosing();
    return;
  }
  if (server_closes_ || error == websocket::error::closed) {
    EndByServer();
  } else if (error == websocket::error::message_too_big) {
    End(LocalError(
        absl::StatusCode::kResourceExhausted,
        absl::StrCat("the server ", plan_->address.url.address(), " sent a message of more than ",
                     plan_->options.max_message_bytes, " bytes")));
  } else if (error == websocket::condition::protocol_violation) {
    End(ProtocolError(absl::StrCat("the server ", plan_->address.url.address(),
                                   " broke the WebSocket protocol: ", error.message())));
  } else if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) {
    End(Unavailable("ended the connection without a close frame"));
  } else {
    End(Unavailable(absl::StrCat("was lost: ", error.message())));
  }
}

template <typename Layer>
void LinkOver<Layer>::OnControlFrame(websocket::frame_type kind) {
  Heard();
  if (kind != websocket::frame_type::close) return;
  server_closes_ = true;
  if (!our_code_) LimitClosing();
}

template <typename Layer>
bool LinkOver<Layer>::Send(std::string bytes, MessageKind kind) {
  if (!open_ || finished_ || our_code_) return true;
  const size_t cost = CostOf(bytes);
  if (cost > WebSocket::kMaxUnsentBytes - unsent_bytes_) return false;
  unsent_bytes_ += cost;
  unsent_.push_back({.bytes = std::move(bytes), .kind = kind});
  WriteNext();
  return true;
}

template <typename Layer>
void LinkOver<Layer>::WriteNext() {
  if (writing_ || unsent_.empty() || sending_close_) return;
  writing_ = true;
  stream_.binary(unsent_.front().kind == MessageKind::kBinary);
  stream_.async_write(asio::buffer(unsent_.front().bytes),
                      [this, self = this->shared_from_this()](const error_code& error, size_t) {
                        OnWritten(error);
                      });
}

template <typename Layer>
void LinkOver<Layer>::OnWritten(const error_code& error) {
  writing_ = false;
  unsent_bytes_ -= CostOf(unsent_.front().bytes);
  unsent_.pop_front();
  if (finished_) return;
  if (!error) {
    WriteNext();
    SendCloseAfterUnsent();
    return;
  }
  // Unless a close frame goes out or has come: then the read or the close tells how it ended.
  if (sending_close_ || error == asio::error::operation_aborted) {
    DropUnsent();
  } else if (our_code_) {
    EndClosing();
  } else {
    End(Unavailable(absl::StrCat("cannot be written to: ", error.message())));
  }
}

template <typename Layer>
void LinkOver<Layer>::DropUnsent() {
  // The operation that runs still has the first.
  while (unsent_.size() > (writing_ ? 1 : 0)) {
    unsent_bytes_ -= CostOf(unsent_.back().bytes);
    unsent_.pop_back();
  }
}

template <typename Layer>
void LinkOver<Layer>::WaitForPing(steady_clock::time_point deadline) {
  timer_.expires_at(deadline);
  timer_.async_wait([this, self = this->shared_from_this()](const error_code& error) {
    if (!error && !finished_ && !our_code_) Ping();
  });
}

template <typename Layer>
void LinkOver<Layer>::Ping() {
  if (EndAfterViolation()) return;
  pinged_at_ = steady_clock::now();
  awaits_answer_ = true;
  timer_.expires_at(pinged_at_ + plan_->options.pong_timeout);
  timer_.async_wait([this, self = this->shared_from_this()](const error_code& error) {
    if (!error && !finished_ && !our_code_ && awaits_answer_) OnPongTimeout();
  });
  if (pinging_ || server_closes_) return;
  pinging_ = true;
  // A failure is one of reading, too, or no answer comes.
  stream_.async_ping(
      {}, [this, self = this->shared_from_this()](const error_code&) { pinging_ = false; });
}

template <typename Layer>
void LinkOver<Layer>::OnPongTimeout() {
  if (EndAfterViolation()) return;
  End(Unavailable(absl::StrCat("does not answer: nothing came for ",
                               plan_->options.pong_timeout.count(), " ms after a ping")));
}

template <typename Layer>
void LinkOver<Layer>::Heard() {
  if (std::exchange(awaits_answer_, false)) {
    WaitForPing(pinged_at_ + plan_->options.ping_interval);
  }
}

template <typename Layer>
bool LinkOver<Layer>::EndAfterViolation() {
  if (stream_.is_open() || server_closes_) return false;
  End(ProtocolError(absl::StrCat(
      "the server ", plan_->address.url.address(),
      " broke the WebSocket protocol or a limit, and did not end the connection after that")));
  return true;
}

template <typename Layer>
void LinkOver<Layer>::Close(uint16_t code, Unsent unsent, std::function<void()> closed) {
  user_.reset();
  closed_ = std::move(closed);
  our_code_ = code;
  if (!open_ || finished_) {
    EndClosing();
    return;
  }
  LimitClosing();
  if (unsent == Unsent::kDrop) {
    DropUnsent();
    SendClose();
  } else {
    SendCloseAfterUnsent();
  }
}

template <typename Layer>
void LinkOver<Layer>::SendCloseAfterUnsent() {
  if (our_code_ && !sending_close_ && unsent_.empty()) SendClose();
}

// Beast does it between two pieces of a message that is being written.
template <typename Layer>
void LinkOver<Layer>::SendClose() {
  // Where Beast has sent one already, the read ends this.
  if (!stream_.is_open()) return;
  sending_close_ = true;
  stream_.async_close(websocket::close_reason(*our_code_),
                      [this, self = this->shared_from_this()](const error_code&) { EndClosing(); });
}

template <typename Layer>
void LinkOver<Layer>::LimitClosing() {
  close_timer_.expires_after(plan_->options.close_timeout);
  close_timer_.async_wait([this, self = this->shared_from_this()](const error_code& error) {
    if (error || finished_) return;
    if (our_code_) {
      EndClosing();
    } else {
      EndByServer();
    }
  });
}

template <typename Layer>
void LinkOver<Layer>::EndClosing() {
  Finish();
  if (const auto closed = std::exchange(closed_, nullptr)) closed();
}

template <typename Layer>
bool LinkOver<Layer>::Finish() {
  if (std::exchange(finished_, true)) return false;
  timer_.cancel();
  close_timer_.cancel();
  address_timer_.cancel();
  error_code ignored;
  looked_up_.close(ignored);
  beast::get_lowest_layer(stream_).close(ignored);
  DropUnsent();
  return true;
}

template <typename Layer>
void LinkOver<Layer>::End(const absl::Status& why, LinkEnd end) {
  if (!Finish()) return;
  if (const auto user = user_.lock()) user->OnLinkEnded(why, end);
}

template <typename Layer>
void LinkOver<Layer>::EndByServer() {
  const uint16_t code = stream_.reason().code;
  End(ClosedByServer(), code == kCloseGoingAway || code == kCloseServiceRestart
                            ? LinkEnd::kServerRestarts
                            : LinkEnd::kLost);
}

}  // namespace

absl::StatusOr<std::shared_ptr<Link>> MakeLink(EventLoop& loop,
                                               std::shared_ptr<const WebSocketPlan> plan,
                                               std::weak_ptr<LinkUser> user) {
  asio::io_context& context = loop.io().context;
  const WebSocketOptions& options = plan->options;
  if (!plan->address.url.https) {
    return std::make_shared<LinkOver<PlainLayer>>(context, std::move(plan), std::move(user));
  }
  if (options.tls == nullptr) return InvalidArgument("wss:// needs a TlsContext");
  try {
    SSL_CTX* const trust = tls::ClientContext::From(*options.tls).get();
    SSL_CTX_up_ref(trust);
    asio::ssl::context ssl_context(trust);  // gives that reference back
    return std::make_shared<LinkOver<TlsLayer>>(context, std::move(plan), std::move(user),
                                                ssl_context);
  } catch (const boost::system::system_error& error) {
    return LocalError(absl::StatusCode::kInternal,
                      absl::StrCat("TLS: no connection can be made: ", error.what()));
  }
}

}  // namespace cursorwire::collab
