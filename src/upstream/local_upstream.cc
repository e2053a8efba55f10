#include "cursorwire/local_upstream.h"

#include <absl/strings/str_cat.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.h"
#include "net/poller.h"
#include "net/socket.h"
#include "net/thread.h"
#include "net/waker.h"
#include "tls/certificate_authority.h"
#include "tls/server_context.h"
#include "upstream/account/account_book.h"
#include "upstream/agent_service.h"
#include "upstream/script/run_book.h"
#include "upstream/script/script_json.h"
#include "upstream/server/server_connection.h"
#include "upstream/server/violations.h"

namespace cursorwire {
namespace {

using connect::TimePoint;

constexpr std::chrono::hours kCertificateValidity{24 * 365};
constexpr char kNames[] = "DNS:localhost,IP:127.0.0.1,IP:::1";
constexpr size_t kReadBufferBytes = size_t{64} * 1024;

// One accepted connection with its socket.
class Peer {
 public:
  Peer(net::Socket socket, std::unique_ptr<upstream::ServerConnection> connection)
      : socket_(std::move(socket)), connection_(std::move(connection)) {}

  bool closed() const { return !socket_.valid(); }
  upstream::ServerConnection& connection() { return *connection_; }

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
    if (*connection_->drop() == upstream::DropKind::kReset) return socket_.Abort();
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
  std::unique_ptr<upstream::ServerConnection> connection_;
  std::optional<size_t> poll_index_;
  bool write_closed_ = false;  // we closed; bytes are discarded until the client closes
};

}  // namespace

class LocalUpstream::Impl {
 public:
  Impl(net::LoopbackListener listener, std::shared_ptr<net::Waker> waker,
       std::optional<tls::ServerContext> context, std::string ca_pem,
       std::vector<upstream::CompiledScript> scripts, LocalUpstreamOptions options)
      : listener_(std::move(listener)),
        waker_(std::move(waker)),
        context_(std::move(context)),
        ca_pem_(std::move(ca_pem)),
        max_concurrent_streams_(options.max_concurrent_streams),
        runs_(std::move(scripts)),
        account_(std::move(options.account)),
        service_(options.word_interval, violations_, &runs_, &account_) {}

  ~Impl() {
    stopping_ = true;
    waker_->Wake();
    if (thread_.joinable()) thread_.join();
  }

  bool StartServing() {
    return net::StartThread(thread_, [this] { Serve(); });
  }

  std::string url() const {
    return absl::StrCat(context_ ? "https" : "http", "://localhost:", listener_.port());
  }
  const std::string& ca_pem() const { return ca_pem_; }
  std::vector<std::string> violations() const { return violations_.list(); }
  const upstream::RunBook& runs() const { return runs_; }
  const upstream::AccountBook& account() const { return account_; }

 private:
  void Serve() {
    std::vector<char> buffer(kReadBufferBytes);
    net::Poller poller;
    while (!stopping_) {
      poller.Clear();
      poller.Add(waker_->fd(), net::Poller::Interest::kRead);
      const size_t listener = poller.Add(listener_.fd(), net::Poller::Interest::kRead);
      for (Peer& peer : peers_) peer.AddTo(poller);
      poller.Wait(NextDeadline());
      if (poller.readable(0)) waker_->Drain();
      for (Peer& peer : peers_) peer.AfterWait(poller, buffer);
      if (poller.readable(listener)) Accept();
      for (Peer& peer : peers_) {
        peer.connection().OnDeadline(net::Now());
        peer.Write();
      }
      std::erase_if(peers_, [](const Peer& peer) { return peer.closed(); });
    }
  }

  void Accept() {
    while (std::optional<net::Socket> socket = listener_.Accept()) {
      auto connection = upstream::ServerConnection::Create(context_ ? &*context_ : nullptr,
                                                           service_, max_concurrent_streams_);
      if (connection.ok()) peers_.emplace_back(*std::move(socket), *std::move(connection));
    }
  }

  std::optional<TimePoint> NextDeadline() {
    std::optional<TimePoint> next;
    for (Peer& peer : peers_) {
      const std::optional<TimePoint> due = peer.connection().NextDeadline();
      if (due && (!next || *due < *next)) next = due;
    }
    return next;
  }

  net::LoopbackListener listener_;
  const std::shared_ptr<net::Waker> waker_;  // shared only because Waker::Create() returns it so
  const std::optional<tls::ServerContext> context_;
  const std::string ca_pem_;
  const uint32_t max_concurrent_streams_;
  upstream::Violations violations_;
  upstream::RunBook runs_;
  upstream::AccountBook account_;
  upstream::AgentService service_;
  std::vector<Peer> peers_;  // used by the thread
  std::atomic<bool> stopping_ = false;
  std::thread thread_;  // uses all members above
};

absl::StatusOr<LocalUpstream> LocalUpstream::Start(LocalUpstreamOptions options) {
  absl::StatusOr<std::vector<upstream::CompiledScript>> scripts =
      upstream::CompileScripts(options.scripts);
  if (!scripts.ok()) return scripts.status();
  auto listener = net::LoopbackListener::Open(options.port);
  if (!listener.ok()) return listener.status();
  auto waker = net::Waker::Create();
  if (!waker.ok()) return waker.status();
  std::optional<tls::ServerContext> context;
  std::string ca_pem;
  if (options.security == connect::Security::kTls) {
    const auto authority =
        tls::CertificateAuthority::Create(std::chrono::system_clock::now(), kCertificateValidity);
    if (!authority.ok()) return authority.status();
    const auto identity = authority->Issue(kNames);
    if (!identity.ok()) return identity.status();
    auto created = tls::ServerContext::Create(*identity);
    if (!created.ok()) return created.status();
    context = *std::move(created);
    ca_pem = authority->certificate_pem();
  }
  auto impl = std::make_unique<Impl>(*std::move(listener), *std::move(waker), std::move(context),
                                     std::move(ca_pem), *std::move(scripts), std::move(options));
  if (!impl->StartServing()) return net::NoThreadError();
  return LocalUpstream(std::move(impl));
}

absl::StatusOr<LocalUpstream> LocalUpstream::Start(const Script& script,
                                                   LocalUpstreamOptions options) {
  options.scripts = {script};
  return Start(std::move(options));
}

LocalUpstream::LocalUpstream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LocalUpstream::~LocalUpstream() = default;
LocalUpstream::LocalUpstream(LocalUpstream&&) noexcept = default;
LocalUpstream& LocalUpstream::operator=(LocalUpstream&&) noexcept = default;

std::string LocalUpstream::url() const { return impl_->url(); }
std::string LocalUpstream::ca_pem() const { return impl_->ca_pem(); }
std::vector<std::string> LocalUpstream::violations() const { return impl_->violations(); }
AccountCounts LocalUpstream::account_counts() const { return impl_->account().counts(); }
size_t LocalUpstream::runs_ended() const { return impl_->runs().ended(); }
bool LocalUpstream::WaitForRuns(size_t runs, std::chrono::milliseconds timeout) const {
  return impl_->runs().WaitForEnded(runs, timeout);
}

}  // namespace cursorwire
