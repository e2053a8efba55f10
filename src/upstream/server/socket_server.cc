#include "upstream/server/socket_server.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "net/poller.h"
#include "tls/certificate_authority.h"

namespace cursorwire::upstream {
namespace {

constexpr std::chrono::hours kCertificateValidity{24 * 365};
constexpr char kNames[] = "DNS:localhost,IP:127.0.0.1,IP:::1";
constexpr size_t kReadBufferBytes = size_t{64} * 1024;

// One accepted connection with its socket.
class Peer {
 public:
  Peer(net::Socket socket, std::unique_ptr<ServerConnection> connection)
      : socket_(std::move(socket)), connection_(std::move(connection)) {}

  bool closed() const { return !socket_.valid(); }
  ServerConnection& connection() { return *connection_; }

  void AddTo(net::Poller& poller) {
    const bool wants_write = !connection_->PendingOutput().empty();
    poll_index_ = poller.Add(socket_.fd(), wants_write ? net::Poller::Interest::kReadWrite
                                                       : net::Poller::Interest::kRead);
  }

  void AfterWait(const net::Poller& poller, std::span<char> buffer) {
    if (poll_index_ && poller.readable(*poll_index_)) Read(buffer);
    poll_index_.reset();
  }

  void Write() {
    while (!closed()) {
      const std::string_view output = connection_->PendingOutput();
      if (output.empty()) return DropIfAsked();
      const absl::StatusOr<size_t> count = socket_.Write(output);
      if (!count.ok()) return socket_.Close();
      if (*count == 0) return;
      connection_->ConsumeOutput(*count);
    }
  }

 private:
  void DropIfAsked() {
    if (!connection_->drop()) return;
    if (*connection_->drop() == DropKind::kReset) return socket_.Abort();
    if (!std::exchange(write_closed_, true)) socket_.CloseWrite();
  }

  void Read(std::span<char> buffer) {
    const absl::StatusOr<std::optional<size_t>> count = socket_.Read(buffer);
    if (!count.ok() || (count->has_value() && **count == 0)) return socket_.Close();
    if (!count->has_value() || connection_->drop()) return;
    const absl::Status status = connection_->Receive({buffer.data(), **count}, net::Now());
    Write();
    if (!status.ok() || connection_->peer_closed()) socket_.Close();
  }

  net::Socket socket_;
  std::unique_ptr<ServerConnection> connection_;
  std::optional<size_t> poll_index_;
  bool write_closed_ = false;  // we closed; bytes are discarded until the client closes
};

std::optional<TimePoint> NextDeadline(std::vector<Peer>& peers) {
  std::optional<TimePoint> next;
  for (Peer& peer : peers) {
    const std::optional<TimePoint> due = peer.connection().NextDeadline();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

}  // namespace

absl::StatusOr<SocketServer> SocketServer::Open(connect::Security security, uint16_t port) {
  auto listener = net::LoopbackListener::Open(port);
  if (!listener.ok()) return listener.status();
  SocketServer server(*std::move(listener));
  if (security == connect::Security::kPlaintext) return server;
  const auto authority =
      tls::CertificateAuthority::Create(std::chrono::system_clock::now(), kCertificateValidity);
  if (!authority.ok()) return authority.status();
  const auto identity = authority->Issue(kNames);
  if (!identity.ok()) return identity.status();
  auto context = tls::ServerContext::Create(*identity);
  if (!context.ok()) return context.status();
  server.context_ = *std::move(context);
  server.ca_pem_ = authority->certificate_pem();
  return server;
}

std::string SocketServer::url() const {
  return absl::StrCat(context_ ? "https" : "http", "://localhost:", port());
}

void SocketServer::Run(int stop_fd, Service& service, uint32_t max_concurrent_streams) const {
  std::vector<char> buffer(kReadBufferBytes);
  std::vector<Peer> peers;
  net::Poller poller;
  for (;;) {
    poller.Clear();
    const size_t stop = poller.Add(stop_fd, net::Poller::Interest::kRead);
    const size_t listener = poller.Add(listener_.fd(), net::Poller::Interest::kRead);
    for (Peer& peer : peers) peer.AddTo(poller);
    poller.Wait(NextDeadline(peers));
    if (poller.readable(stop)) return;
    for (Peer& peer : peers) peer.AfterWait(poller, buffer);
    while (poller.readable(listener)) {
      std::optional<net::Socket> socket = listener_.Accept();
      if (!socket) break;
      auto connection = ServerConnection::Create(context_ ? &*context_ : nullptr, service,
                                                 max_concurrent_streams);
      if (connection.ok()) peers.emplace_back(*std::move(socket), *std::move(connection));
    }
    for (Peer& peer : peers) {
      peer.connection().OnDeadline(net::Now());
      peer.Write();
    }
    std::erase_if(peers, [](const Peer& peer) { return peer.closed(); });
  }
}

}  // namespace cursorwire::upstream
