#include "channel/loop/link.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"

namespace cursorwire::connect::internal {

Link::Link(const LinkRoute& route, ConnectionOptions options, LinkLookups lookups, TimePoint now)
    : route_(route),
      connection_(std::move(options), now),
      lookups_(std::move(lookups)),
      host_(route.url.host) {}

void Link::AddTo(net::Poller& poller) {
  poll_index_.reset();
  if (connector_) connector_->AddTo(poller);
  if (!socket_.valid()) return;
  const bool has_output = socket_.is_up() && !connection_.PendingOutput().empty();
  const bool wants_write = !write_failed_ && (has_output || socket_.wants_write());
  poll_index_ = poller.Add(
      socket_.fd(), wants_write ? net::Poller::Interest::kReadWrite : net::Poller::Interest::kRead);
}

void Link::AfterWait(const net::Poller& poller, std::span<char> buffer) {
  if (connector_) connector_->AfterWait(poller);
  if (poll_index_ && socket_.valid() && poller.readable(*poll_index_)) ReadOnce(buffer);
}

void Link::Advance(TimePoint now) {
  if (dead_) return;
  if (lookups_.peer != nullptr) TakeAddresses();
  if (connector_) {
    connector_->Advance(now);
    TakeSocket();
  }
  if (socket_.valid()) WriteAll();
}

std::optional<TimePoint> Link::NextDeadline() const {
  const std::optional<TimePoint> a = connection_.NextDeadline();
  const std::optional<TimePoint> b = connector_ ? connector_->NextDeadline() : std::nullopt;
  return a && b ? std::min(*a, *b) : a ? a : b;
}

void Link::OnConnectionDown() {
  if (dead_) return;
  if (socket_.valid()) WriteAll();
  Drop();
}

void Link::Shutdown() {
  if (socket_.valid()) WriteAll();
  connection_.Close();
  OnConnectionDown();
}

void Link::TakeAddresses() {
  if (lookups_.host != nullptr) {
    const auto hosts = AddressesOf(lookups_.host);
    if (!hosts) return;
    host_ = hosts->front().text();
  }
  std::optional<std::vector<net::Address>> addresses = AddressesOf(lookups_.peer);
  if (!addresses) return;
  // Unless it may, plaintext never leaves this machine, whatever a resolver makes of "localhost".
  if (!route_.url.https && route_.plaintext_hosts != PlaintextHosts::kAny) {
    std::erase_if(*addresses, [](const auto& address) { return !address.is_loopback(); });
  }
  if (addresses->empty()) {
    return FailToConnect(TransportError("not an address of this machine", Replay::kSafe));
  }
  connector_.emplace(*addresses);
}

std::optional<std::vector<net::Address>> Link::AddressesOf(std::shared_ptr<net::Lookup>& lookup) {
  const auto result = lookup->result();
  if (!result) return std::nullopt;
  const bool is_proxy = route_.proxy && &lookup == &lookups_.peer;
  lookup.reset();
  if (result->ok()) return **result;
  Fail(is_proxy ? Annotate(result->status(), "the proxy") : result->status());
  return std::nullopt;
}

void Link::TakeSocket() {
  std::optional<absl::StatusOr<net::Socket>> result = connector_->TakeResult();
  if (!result) return;
  connector_.reset();
  if (!result->ok()) return FailToConnect(result->status());
  absl::StatusOr<ProxiedSocket> socket = Enter(route_, **std::move(result), host_);
  if (!socket.ok()) return Fail(socket.status());
  socket_ = *std::move(socket);
  connected_ = socket_.is_up();
}

void Link::ReadOnce(std::span<char> buffer) {
  const absl::StatusOr<std::optional<size_t>> count = socket_.Read(
      buffer, [this](std::string_view bytes) { connection_.Receive(bytes, net::Now()); });
  if (!count.ok()) return OnReadError(count.status());
  connected_ = connected_ || socket_.is_up();
  lost_ = *count == 0u;
  if (!count->has_value()) return;
  if (**count > 0) {
    lost_ = connection_.peer_closed();
    return;
  }
  connection_.ReceiveEof(net::Now());
  OnConnectionDown();
}

void Link::OnReadError(const absl::Status& status) {
  lost_ = socket_.refusal() == ProxyRefusal::kNone;
  if (socket_.refusal() == ProxyRefusal::kForGood) connected_ = true;
  Fail(status);
}

void Link::WriteAll() {
  if (write_failed_) return;
  for (std::string_view output = connection_.PendingOutput();
       !output.empty() || socket_.wants_write(); output = connection_.PendingOutput()) {
    const absl::StatusOr<size_t> count = socket_.Write(output);
    // A reading that fails as well will tell; before it, there may be the reason the server gave.
    write_failed_ = !count.ok();
    if (write_failed_ || *count == 0) return;
    connection_.ConsumeOutput(*count);
  }
}

void Link::FailToConnect(const absl::Status& status) {
  Fail(Annotate(status, absl::StrCat(route_.proxy ? "" : "connect to ", route_.peer())));
}

void Link::Fail(const absl::Status& status) {
  connection_.Fail(status, net::Now());
  Drop();
}

void Link::Drop() {
  lookups_ = {};
  connector_.reset();
  socket_.Close();
  dead_ = true;
}

}  // namespace cursorwire::connect::internal
