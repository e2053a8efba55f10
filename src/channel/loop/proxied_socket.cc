#include "channel/loop/proxied_socket.h"

#include "base/error.h"
#include "tls/engine.h"

namespace cursorwire::connect::internal {
namespace {

absl::Status OfProxy(const absl::Status& status) {
  return WithReplay(Annotate(status, "the proxy"), Replay::kSafe);
}

}  // namespace

absl::StatusOr<ProxiedSocket> ProxiedSocket::ToProxy(net::Socket socket, const proxy::Proxy& proxy,
                                                     const std::string& host, int port,
                                                     const tls::ClientContext* context) {
  auto leg = std::make_unique<ProxyLeg>();
  absl::StatusOr<std::unique_ptr<proxy::Tunnel>> tunnel = proxy::MakeTunnel(proxy, host, port);
  if (!tunnel.ok()) return tunnel.status();
  leg->tunnel = *std::move(tunnel);
  if (context != nullptr) {
    absl::StatusOr<std::unique_ptr<tls::Engine>> engine =
        tls::Engine::Connect(*context, proxy.host);
    if (!engine.ok()) return OfProxy(engine.status());
    leg->transport = tls::Transport(*std::move(engine));
  }
  ProxiedSocket proxied(std::move(socket));
  proxied.leg_ = std::move(leg);
  if (absl::Status status = proxied.Greet(); !status.ok()) return status;
  return proxied;
}

absl::Status ProxiedSocket::Greet() {
  if (leg_->tunnel == nullptr || !leg_->transport.is_ready()) return absl::OkStatus();
  const std::string output = leg_->tunnel->TakeOutput();
  if (output.empty()) return absl::OkStatus();
  const absl::Status status = leg_->transport.Write(output);
  return status.ok() ? status : OfProxy(status);
}

bool ProxiedSocket::wants_write() const {
  return leg_ != nullptr && !leg_->transport.PendingOutput().empty();
}

absl::StatusOr<size_t> ProxiedSocket::Write(std::string_view bytes) {
  if (leg_ == nullptr) return socket_.Write(bytes);
  absl::StatusOr<bool> flushed = Flush();
  if (!flushed.ok()) return flushed.status();
  if (!*flushed || !is_up()) return 0;
  if (absl::Status status = leg_->transport.Write(bytes); !status.ok()) return status;
  flushed = Flush();
  if (!flushed.ok()) return flushed.status();
  return bytes.size();
}

absl::StatusOr<bool> ProxiedSocket::Flush() {
  while (wants_write()) {
    const absl::StatusOr<size_t> count = socket_.Write(leg_->transport.PendingOutput());
    if (!count.ok()) return is_up() ? count.status() : OfProxy(count.status());
    if (*count == 0) return false;
    leg_->transport.ConsumeOutput(*count);
  }
  return true;
}

absl::StatusOr<std::optional<size_t>> ProxiedSocket::Read(std::span<char> buffer, TakeBytes take) {
  const bool was_up = is_up();
  absl::StatusOr<std::optional<size_t>> count = socket_.Read(buffer);
  if (!count.ok()) return was_up ? count.status() : OfProxy(count.status());
  if (!count->has_value()) return count;
  if (**count == 0 && !was_up) {
    return TransportError("the proxy closed the connection before there was a tunnel",
                          Replay::kSafe);
  }
  const std::string_view bytes(buffer.data(), **count);
  if (leg_ == nullptr) {
    if (!bytes.empty()) take(bytes);
  } else if (absl::Status status = Receive(bytes, take); !status.ok()) {
    return status;
  }
  return count;
}

absl::Status ProxiedSocket::Receive(std::string_view bytes, TakeBytes take) {
  // Not while OpenSSL works: `take` may be another connection of TLS, and both have one queue of
  // errors.
  std::string plain;
  absl::Status status =
      leg_->transport.Receive(bytes, [&plain](std::string_view record) { plain.append(record); });
  if (!status.ok() && !is_up()) return OfProxy(status);
  if (!plain.empty()) {
    const absl::Status taken = ReceiveOfProxy(plain, take);
    if (status.ok()) status = taken;
  }
  if (status.ok()) status = Greet();
  const bool is_spent = is_up() && leg_->transport.tls_version().empty() && !wants_write();
  if (is_spent) leg_.reset();
  return status;
}

absl::Status ProxiedSocket::ReceiveOfProxy(std::string_view bytes, TakeBytes take) {
  if (leg_->tunnel == nullptr) {
    take(bytes);
    return absl::OkStatus();
  }
  const absl::StatusOr<std::optional<std::string>> rest = leg_->tunnel->Receive(bytes);
  if (!rest.ok()) {
    leg_->refusal =
        leg_->tunnel->refuses_for_good() ? ProxyRefusal::kForGood : ProxyRefusal::kForNow;
    return rest.status();
  }
  if (!rest->has_value()) return absl::OkStatus();
  leg_->tunnel.reset();
  if (!(*rest)->empty()) take(**rest);
  return absl::OkStatus();
}

}  // namespace cursorwire::connect::internal
