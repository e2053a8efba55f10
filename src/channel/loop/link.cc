#include "channel/loop/link.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"

namespace cursorwire::connect::internal {

Link::Link(Url url, PlaintextHosts plaintext_hosts, ConnectionOptions options,
           std::shared_ptr<net::Lookup> lookup, TimePoint now)
    : url_(std::move(url)),
      plaintext_hosts_(plaintext_hosts),
      connection_(std::move(options), now),
      lookup_(std::move(lookup)) {}

void Link::AddTo(net::Poller& poller) {
  poll_index_.reset();
  if (connector_) connector_->AddTo(poller);
  if (!socket_.valid()) return;
  const bool wants_write = !write_failed_ && !connection_.PendingOutput().empty();
  poll_index_ = poller.Add(
      socket_.fd(), wants_write ? net::Poller::Interest::kReadWrite : net::Poller::Interest::kRead);
}

void Link::AfterWait(const net::Poller& poller, std::span<char> buffer) {
  if (connector_) connector_->AfterWait(poller);
  if (poll_index_ && socket_.valid() && poller.readable(*poll_index_)) ReadOnce(buffer);
}

void Link::Advance(TimePoint now) {
  if (dead_) return;
  if (lookup_ != nullptr) TakeAddresses();
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
  auto result = lookup_->result();
  if (!result) return;
  lookup_.reset();
  if (!result->ok()) return Fail(result->status());
  std::vector<net::Address> addresses = **std::move(result);
  // Unless it may, plaintext never leaves this machine, whatever a resolver makes of "localhost".
  if (!url_.https && plaintext_hosts_ != PlaintextHosts::kAny) {
    std::erase_if(addresses, [](const auto& address) { return !address.is_loopback(); });
  }
  if (addresses.empty()) {
    return FailToConnect(TransportError("not an address of this machine", Replay::kSafe));
  }
  connector_.emplace(addresses);
}

void Link::TakeSocket() {
  std::optional<absl::StatusOr<net::Socket>> result = connector_->TakeResult();
  if (!result) return;
  connector_.reset();
  if (!result->ok()) return FailToConnect(result->status());
  socket_ = **std::move(result);
  connected_ = true;
}

void Link::ReadOnce(std::span<char> buffer) {
  const absl::StatusOr<std::optional<size_t>> count = socket_.Read(buffer);
  lost_ = !count.ok() || *count == 0u;
  if (!count.ok()) return Fail(count.status());
  if (!count->has_value()) return;
  if (**count > 0) {
    connection_.Receive({buffer.data(), **count}, net::Now());
    lost_ = connection_.peer_closed();
    return;
  }
  connection_.ReceiveEof(net::Now());
  OnConnectionDown();
}

void Link::WriteAll() {
  if (write_failed_) return;
  for (std::string_view output = connection_.PendingOutput(); !output.empty();
       output = connection_.PendingOutput()) {
    const absl::StatusOr<size_t> count = socket_.Write(output);
    // A reading that fails as well will tell; before it, there may be the reason the server gave.
    write_failed_ = !count.ok();
    if (write_failed_ || *count == 0) return;
    connection_.ConsumeOutput(*count);
  }
}

void Link::FailToConnect(const absl::Status& status) {
  Fail(Annotate(status, absl::StrCat("connect to ", url_.address())));
}

void Link::Fail(const absl::Status& status) {
  connection_.Fail(status, net::Now());
  Drop();
}

void Link::Drop() {
  lookup_.reset();
  connector_.reset();
  socket_.Close();
  dead_ = true;
}

}  // namespace cursorwire::connect::internal
