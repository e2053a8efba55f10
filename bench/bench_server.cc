#include "bench_server.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "net/poller.h"
#include "tls/certificate_authority.h"
#include "tls/server_context.h"
#include "upstream/server/server_connection.h"

namespace cursorwire::bench {
namespace {

using upstream::ServerConnection;

constexpr std::chrono::hours kCertificateValidity{24};
constexpr char kNames[] = "DNS:localhost,IP:127.0.0.1";
constexpr size_t kReadBufferBytes = size_t{64} * 1024;

struct Peer {
  net::Socket socket;
  std::unique_ptr<ServerConnection> connection;
  size_t poll_index = 0;
};

void Write(Peer& peer) {
  while (peer.socket.valid()) {
    const std::string_view output = peer.connection->PendingOutput();
    if (output.empty()) return;
    const absl::StatusOr<size_t> count = peer.socket.Write(output);
    if (!count.ok()) return peer.socket.Close();
    if (*count == 0) return;
    peer.connection->ConsumeOutput(*count);
  }
}

void Read(Peer& peer, std::span<char> buffer) {
  const absl::StatusOr<std::optional<size_t>> count = peer.socket.Read(buffer);
  if (!count.ok() || *count == 0u) return peer.socket.Close();
  if (!count->has_value()) return;
  const bool ok = peer.connection->Receive({buffer.data(), **count}, net::Now()).ok();
  Write(peer);
  if (!ok || peer.connection->peer_closed()) peer.socket.Close();
}

class Loop {
 public:
  // `context`: nullptr without TLS.
  Loop(const net::LoopbackListener& listener, const tls::ServerContext* context,
       upstream::Service& service)
      : listener_(listener), context_(context), service_(service), buffer_(kReadBufferBytes) {}

  // Serves until the other end of `lifeline` is closed.
  void Run(int lifeline) {
    for (;;) {
      poller_.Clear();
      poller_.Add(lifeline, net::Poller::Interest::kRead);
      const size_t listener = poller_.Add(listener_.fd(), net::Poller::Interest::kRead);
      for (Peer& peer : peers_) {
        const bool wants_write = !peer.connection->PendingOutput().empty();
        peer.poll_index =
            poller_.Add(peer.socket.fd(), wants_write ? net::Poller::Interest::kReadWrite
                                                      : net::Poller::Interest::kRead);
      }
      poller_.Wait(NextDeadline());
      if (poller_.readable(0)) return;
      for (Peer& peer : peers_) Serve(peer);
      if (poller_.readable(listener)) Accept();
      std::erase_if(peers_, [](const Peer& peer) { return !peer.socket.valid(); });
    }
  }

 private:
  void Serve(Peer& peer) {
    if (poller_.readable(peer.poll_index)) Read(peer, buffer_);
    peer.connection->OnDeadline(net::Now());
    Write(peer);
  }

  void Accept() {
    while (std::optional<net::Socket> socket = listener_.Accept()) {
      auto connection = ServerConnection::Create(context_, service_);
      if (connection.ok()) {
        peers_.push_back({.socket = *std::move(socket), .connection = *std::move(connection)});
      }
    }
  }

  std::optional<connect::TimePoint> NextDeadline() const {
    std::optional<connect::TimePoint> next;
    for (const Peer& peer : peers_) {
      const auto due = peer.connection->NextDeadline();
      if (due && (!next || *due < *next)) next = due;
    }
    return next;
  }

  const net::LoopbackListener& listener_;
  const tls::ServerContext* const context_;
  upstream::Service& service_;
  std::vector<Peer> peers_;
  net::Poller poller_;
  std::vector<char> buffer_;
};

}  // namespace

absl::StatusOr<BenchServer> BenchServer::Start(upstream::Service& service,
                                               connect::Security security) {
  const auto listener = net::LoopbackListener::Open();
  if (!listener.ok()) return listener.status();
  const auto authority =
      tls::CertificateAuthority::Create(std::chrono::system_clock::now(), kCertificateValidity);
  if (!authority.ok()) return authority.status();
  const auto identity = authority->Issue(kNames);
  if (!identity.ok()) return identity.status();
  const auto context = tls::ServerContext::Create(*identity);
  if (!context.ok()) return context.status();
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    return TransportError("pipe: no file descriptor left", Replay::kSafe);
  }
  FileDescriptor read_end(fds[0]);
  FileDescriptor write_end(fds[1]);
  const pid_t process = ::fork();
  if (process < 0) return TransportError("fork: no process left", Replay::kSafe);
  if (process == 0) {
    write_end.Reset();
    const bool tls = security == connect::Security::kTls;
    Loop(*listener, tls ? &*context : nullptr, service).Run(read_end.get());
    ::_exit(0);
  }
  return BenchServer(process, std::move(write_end), listener->port(), authority->certificate_pem());
}

BenchServer::BenchServer(pid_t process, FileDescriptor lifeline, int port, std::string ca_pem)
    : process_(process), lifeline_(std::move(lifeline)), port_(port), ca_pem_(std::move(ca_pem)) {}

BenchServer::BenchServer(BenchServer&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      lifeline_(std::move(other.lifeline_)),
      port_(other.port_),
      ca_pem_(std::move(other.ca_pem_)) {}

BenchServer::~BenchServer() {
  if (process_ < 0) return;
  lifeline_.Reset();
  ::waitpid(process_, nullptr, 0);
}

}  // namespace cursorwire::bench
