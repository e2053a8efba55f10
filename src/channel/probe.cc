#include "cursorwire/connect/probe.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <netdb.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/url.h"
#include "channel/loop/link_route.h"
#include "channel/loop/proxied_socket.h"
#include "core/client_transport.h"
#include "cursorwire/connect/connection.h"
#include "net/connector.h"
#include "net/poller.h"
#include "net/resolver.h"
#include "net/socket.h"
#include "net/waker.h"

namespace cursorwire::connect {
namespace {

constexpr size_t kProbeBufferBytes = size_t{16} * 1024;
constexpr size_t kMostShownAddresses = 8;

std::string PeerOf(const net::Socket& socket) {
  net::Address address;
  address.size = sizeof(address.storage);
  const int error =
      ::getpeername(socket.fd(), reinterpret_cast<sockaddr*>(&address.storage), &address.size);
  return error == 0 ? address.text() : "?";
}

absl::Status OutOfTime() {
  return LocalError(absl::StatusCode::kDeadlineExceeded, "no answer in time");
}

// The steps, each with what the one before has found.
class HostProbe {
 public:
  HostProbe(internal::LinkRoute route, ChannelOptions options, std::chrono::milliseconds timeout)
      : route_(std::move(route)),
        options_(std::move(options)),
        timeout_(timeout),
        host_(route_.url.host) {}

  ProbeReport Run() {
    ProbeReport report;
    if (!Do(report.name_resolution, [this](ProbeStep& step) { return Resolve(step); })) {
      return report;
    }
    if (!Do(report.tcp, [this](ProbeStep& step) { return ConnectTcp(step); })) return report;
    if (route_.proxy && !Do(report.proxy, [this](ProbeStep& step) { return OpenTunnel(step); })) {
      return report;
    }
    if (route_.url.https && !Do(report.tls, [this](ProbeStep& step) { return ShakeHands(step); })) {
      return report;
    }
    Do(report.http2, [this](ProbeStep& step) { return StartHttp2(step); });
    return report;
  }

 private:
  using Work = std::function<absl::Status(ProbeStep&)>;

  // False: it failed.
  bool Do(std::optional<ProbeStep>& step, const Work& work) {
    step.emplace();
    const TimePoint start = net::Now();
    end_ = start + timeout_;
    step->status = work(*step);
    step->time = std::chrono::duration_cast<std::chrono::microseconds>(net::Now() - start);
    return step->status.ok();
  }

  absl::Status Resolve(ProbeStep& step) {
    const absl::StatusOr<std::shared_ptr<net::Waker>> waker = net::Waker::Create();
    if (!waker.ok()) return waker.status();
    const internal::LinkLookups lookups = internal::StartLookups(route_, *waker);
    if (lookups.host != nullptr) {
      const auto hosts = Await(*lookups.host, **waker);
      if (!hosts.ok()) return hosts.status();
      host_ = hosts->front().text();
    }
    absl::StatusOr<std::vector<net::Address>> addresses = Await(*lookups.peer, **waker);
    if (!addresses.ok()) return addresses.status();
    addresses_ = *std::move(addresses);
    step.detail = AddressList();
    return CheckPlaintext();
  }

  absl::StatusOr<std::vector<net::Address>> Await(const net::Lookup& lookup,
                                                  net::Waker& waker) const {
    net::Poller poller;
    for (;;) {
      if (auto result = lookup.result()) return *std::move(result);
      if (net::Now() >= end_) return OutOfTime();
      poller.Clear();
      poller.Add(waker.fd(), net::Poller::Interest::kRead);
      poller.Wait(end_);
      waker.Drain();
    }
  }

  std::string AddressList() const {
    std::vector<std::string> texts;
    for (const net::Address& address : addresses_) {
      if (texts.size() == kMostShownAddresses) {
        texts.emplace_back("...");
        break;
      }
      texts.push_back(address.text());
    }
    const std::string name = route_.proxy ? "the proxy " + route_.proxy->host : route_.url.host;
    return absl::StrCat(name, ": ", absl::StrJoin(texts, ", "));
  }

  // As a Channel: without TLS, addresses of this machine alone.
  absl::Status CheckPlaintext() {
    if (route_.url.https || options_.plaintext_hosts == PlaintextHosts::kAny)
      return absl::OkStatus();
    std::erase_if(addresses_, [](const auto& address) { return !address.is_loopback(); });
    if (!addresses_.empty() && options_.plaintext_hosts != PlaintextHosts::kNone) {
      return absl::OkStatus();
    }
    return InvalidArgument("http:// is not allowed to this host; use https://");
  }

  absl::StatusOr<net::Socket> Dial() {
    net::Connector connector(addresses_);
    net::Poller poller;
    for (;;) {
      connector.Advance(net::Now());
      if (auto socket = connector.TakeResult()) return *std::move(socket);
      if (net::Now() >= end_) return OutOfTime();
      poller.Clear();
      connector.AddTo(poller);
      const std::optional<TimePoint> next = connector.NextDeadline();
      poller.Wait(next ? std::min(*next, end_) : end_);
      connector.AfterWait(poller);
      if (auto socket = connector.TakeResult()) return *std::move(socket);
    }
  }

  // A new connection to the host or the proxy.
  absl::Status Connect() {
    absl::StatusOr<net::Socket> socket = Dial();
    if (!socket.ok()) return socket.status();
    peer_ = PeerOf(*socket);
    absl::StatusOr<internal::ProxiedSocket> entered =
        internal::Enter(route_, *std::move(socket), host_);
    if (!entered.ok()) return entered.status();
    socket_ = *std::move(entered);
    return absl::OkStatus();
  }

  absl::Status ConnectTcp(ProbeStep& step) {
    if (absl::Status status = Connect(); !status.ok()) return status;
    const int port = route_.proxy ? route_.proxy->port : route_.url.port;
    step.detail = absl::StrCat(peer_, " port ", port);
    return absl::OkStatus();
  }

  absl::Status OpenTunnel(ProbeStep& step) {
    step.detail = "a tunnel to " + route_.url.address();
    return AwaitTunnel();
  }

  absl::Status AwaitTunnel() {
    return Move({.pending = [] { return std::string_view(); },
                 .consume = [](size_t) {},
                 .receive = [](std::string_view bytes) -> absl::Status {
                   // The host of TLS and of HTTP/2 waits for the client.
                   if (bytes.empty()) return absl::OkStatus();
                   return TransportError("the host speaks first", Replay::kSafe);
                 },
                 .is_done = [this] { return socket_.is_up(); }});
  }

  // Moves bytes between the socket and `pending`, `consume`, `receive` until `is_done`.
  struct Transfer {
    std::function<std::string_view()> pending;
    std::function<void(size_t)> consume;
    std::function<absl::Status(std::string_view)> receive;  // empty: the server closed
    std::function<bool()> is_done;
  };

  absl::Status Move(const Transfer& transfer) {
    std::vector<char> buffer(kProbeBufferBytes);
    net::Poller poller;
    while (!transfer.is_done()) {
      if (net::Now() >= end_) return OutOfTime();
      while (socket_.wants_write() || !transfer.pending().empty()) {
        const absl::StatusOr<size_t> count = socket_.Write(transfer.pending());
        if (!count.ok()) return count.status();
        if (*count == 0) break;
        transfer.consume(*count);
      }
      poller.Clear();
      const bool writes = socket_.wants_write() || (socket_.is_up() && !transfer.pending().empty());
      poller.Add(socket_.fd(),
                 writes ? net::Poller::Interest::kReadWrite : net::Poller::Interest::kRead);
      poller.Wait(end_);
      if (!poller.readable(0)) continue;
      absl::Status status;
      const absl::StatusOr<std::optional<size_t>> count =
          socket_.Read(buffer, [&](std::string_view bytes) { status = transfer.receive(bytes); });
      if (!count.ok()) return count.status();
      if (*count == 0u) status = transfer.receive({});
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  ConnectionOptions MakeConnectionOptions() const {
    return {.authority = route_.url.authority(),
            .security = route_.url.https ? Security::kTls : Security::kPlaintext,
            .tls = options_.tls,
            .http2 = options_.http2};
  }

  absl::Status ShakeHands(ProbeStep& step) {
    auto transport = core::MakeClientTransport(MakeConnectionOptions());
    if (!transport.ok()) return transport.status();
    const Transfer transfer{.pending = [&] { return transport->PendingOutput(); },
                            .consume = [&](size_t bytes) { transport->ConsumeOutput(bytes); },
                            .receive =
                                [&](std::string_view bytes) {
                                  if (bytes.empty()) {
                                    return TransportError("the server closed the connection",
                                                          Replay::kSafe);
                                  }
                                  return transport->Receive(bytes, [](std::string_view) {});
                                },
                            .is_done = [&] { return transport->is_ready(); }};
    absl::Status status = Move(transfer);
    // What is known of the certificate helps where it is refused.
    step.detail = transport->DescribePeer();
    return status;
  }

  absl::Status StartHttp2(ProbeStep& step) {
    if (absl::Status status = Connect(); !status.ok()) return status;
    if (absl::Status status = AwaitTunnel(); !status.ok()) return status;
    Connection connection(MakeConnectionOptions(), net::Now());
    absl::Status failure;
    const auto look = [&] {
      while (std::optional<ConnectionEvent> event = connection.PollEvent()) {
        if (const auto* down = std::get_if<ConnectionDown>(&event->what)) failure = down->status;
      }
      return failure;
    };
    const Transfer transfer{.pending = [&] { return connection.PendingOutput(); },
                            .consume = [&](size_t bytes) { connection.ConsumeOutput(bytes); },
                            .receive =
                                [&](std::string_view bytes) {
                                  if (bytes.empty()) {
                                    connection.ReceiveEof(net::Now());
                                  } else {
                                    connection.Receive(bytes, net::Now());
                                  }
                                  return look();
                                },
                            .is_done = [&] { return connection.is_up(); }};
    absl::Status status = Move(transfer);
    if (status.ok()) step.detail = "the server's settings have come";
    return status;
  }

  const internal::LinkRoute route_;
  const ChannelOptions options_;
  const std::chrono::milliseconds timeout_;
  TimePoint end_{};  // of the step
  std::vector<net::Address> addresses_;
  std::string host_;  // as a proxy is told of it
  std::string peer_;  // of the socket
  internal::ProxiedSocket socket_;
};

}  // namespace

ProbeReport Probe(std::string_view url, const ChannelOptions& options,
                  std::chrono::milliseconds timeout) {
  const absl::StatusOr<Url> parsed = ParseUrl(url);
  if (!parsed.ok()) return {.name_resolution = ProbeStep{.status = parsed.status()}};
  absl::StatusOr<internal::LinkRoute> route = internal::ChooseRoute(*parsed, options);
  if (!route.ok()) return {.name_resolution = ProbeStep{.status = route.status()}};
  return HostProbe(*std::move(route), options, timeout).Run();
}

}  // namespace cursorwire::connect
