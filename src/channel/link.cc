#include "channel/link.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"

namespace cursorwire::connect {

Link::Link(const Url& url, ConnectionOptions options, const std::shared_ptr<net::Waker>& waker,
           TimePoint now)
    : url_(url),
      connection_(std::move(options), now),
      lookup_(net::Lookup::Start(url.host, url.port, waker)) {}

void Link::AddTo(net::Poller& poller) {
  poll_index_.reset();
  if (!socket_.valid()) return;
  const bool wants_write = !connected_ || (!write_failed_ && !connection_.PendingOutput().empty());
  poll_index_ = poller.Add(
      socket_.fd(), wants_write ? net::Poller::Interest::kReadWrite : net::Poller::Interest::kRead);
}

void Link::AfterWait(const net::Poller& poller, std::span<char> buffer) {
  if (!poll_index_ || !socket_.valid()) return;
  if (!connected_) {
    if (poller.writable(*poll_index_)) FinishConnect();
  } else if (poller.readable(*poll_index_)) {
    ReadOnce(buffer);
  }
}

void Link::Advance() {
  if (dead_) return;
  if (lookup_ != nullptr) TakeAddresses();
  if (connected_) WriteAll();
}

void Link::OnConnectionDown() {
  if (dead_) return;
  if (connected_) WriteAll();
  socket_.Close();
  dead_ = true;
}

void Link::Shutdown() {
  if (connected_ && !dead_) WriteAll();
  connection_.Close();
  OnConnectionDown();
}

void Link::TakeAddresses() {
  auto result = lookup_->result();
  if (!result) return;
  lookup_.reset();
  if (!result->ok()) return Fail(result->status());
  addresses_ = **std::move(result);
  // Plaintext never leaves this machine, whatever a resolver makes of "localhost".
  if (!url_.https)
    std::erase_if(addresses_, [](const auto& address) { return !address.is_loopback(); });
  if (addresses_.empty()) {
    return FailToConnect(TransportError("not an address of this machine", Replay::kSafe));
  }
  ConnectNext();
}

void Link::ConnectNext() {
  absl::Status status = absl::OkStatus();
  while (next_address_ < addresses_.size()) {
    absl::StatusOr<net::Socket> socket = net::Socket::Connect(addresses_[next_address_++]);
    if (socket.ok()) {
      socket_ = *std::move(socket);
      return;
    }
    status = socket.status();
  }
  FailToConnect(status);
}

void Link::FinishConnect() {
  const absl::Status status = socket_.FinishConnect();
  if (status.ok()) {
    connected_ = true;
  } else if (next_address_ < addresses_.size()) {
    ConnectNext();
  } else {
    FailToConnect(status);
  }
}

void Link::ReadOnce(std::span<char> buffer) {
  const absl::StatusOr<std::optional<size_t>> count = socket_.Read(buffer);
  if (!count.ok()) return Fail(count.status());
  if (!count->has_value()) return;
  if (**count > 0) return connection_.Receive({buffer.data(), **count}, net::Now());
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
  Fail(Annotate(status, absl::StrCat("connect to ", url_.host, ":", url_.port)));
}

void Link::Fail(const absl::Status& status) {
  connection_.Fail(status, net::Now());
  socket_.Close();
  dead_ = true;
}

}  // namespace cursorwire::connect
