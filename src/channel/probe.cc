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

// "127.0.0.1", "::1".
std::string TextOf(const net::Address& address) {
  std::array<char, NI_MAXHOST> text{};
  const int error = ::getnameinfo(reinterpret_cast<const sockaddr*>(&address.storage), address.size,
                                  text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? text.data() : "?";
}

std::string PeerOf(const net::Socket& socket) {
  net::Address address;
  address.size = sizeof(address.storage);
  const int error =
      ::getpeername(socket.fd(), reinterpret_cast<sockaddr*>(&address.storage), &address.size);
  return error == 0 ? TextOf(address) : "?";
}

absl::Status OutOfTime() {
  return LocalError(absl::StatusCode::kDeadlineExceeded, "no answer in time");
}

// The steps, each with what the one before has found.
class HostProbe {
 public:
  HostProbe(Url url, ChannelOptions options, std::chrono::milliseconds timeout)
      : url_(std::move(url)), options_(std::move(options)), timeout_(timeout) {}

  ProbeReport Run() {
    ProbeReport report;
    if (!Do(report.name_resolution, [this](ProbeStep& step) { return Resolve(step); })) {
      return report;
    }
    if (!Do(report.tcp, [this](ProbeStep& step) { return ConnectTcp(step); })) return report;
    if (url_.https && !Do(report.tls, [this](ProbeStep& step) { return ShakeHands(step); })) {
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
    const std::shared_ptr<net::Lookup> lookup = net::Lookup::Start(url_.host, url_.port, *waker);
    auto result = lookup->result();
    net::Poller poller;
    while (!result && net::Now() < end_) {
      poller.Clear();
      poller.Add((*waker)->fd(), net::Poller::Interest::kRead);
      poller.Wait(end_);
      (*waker)->Drain();
      result = lookup->result();
    }
    if (!result) return OutOfTime();
    if (!result->ok()) return result->status();
    addresses_ = **std::move(result);
    step.detail = AddressList();
    return CheckPlaintext();
  }

  std::string AddressList() const {
    std::vector<std::string> texts;
    for (const net::Address& address : addresses_) {
      if (texts.size() == kMostShownAddresses) {
        texts.emplace_back("...");
        break;
      }
      texts.push_back(TextOf(address));
    }
    return absl::StrCat(url_.host, ": ", absl::StrJoin(texts, ", "));
  }

  // As a Channel: without TLS, addresses of this machine alone.
  absl::Status CheckPlaintext() {
    if (url_.https || options_.plaintext_hosts == PlaintextHosts::kAny) return absl::OkStatus();
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

  absl::Status ConnectTcp(ProbeStep& step) {
    absl::StatusOr<net::Socket> socket = Dial();
    if (!socket.ok()) return socket.status();
    socket_ = *std::move(socket);
    step.detail = absl::StrCat(PeerOf(socket_), " port ", url_.port);
    return absl::OkStatus();
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
      while (!transfer.pending().empty()) {
        const absl::StatusOr<size_t> count = socket_.Write(transfer.pending());
        if (!count.ok()) return count.status();
        if (*count == 0) break;
        transfer.consume(*count);
      }
      poller.Clear();
      const bool writes = !transfer.pending().empty();
      poller.Add(socket_.fd(),
                 writes ? net::Poller::Interest::kReadWrite : net::Poller::Interest::kRead);
      poller.Wait(end_);
      if (!poller.readable(0)) continue;
      const absl::StatusOr<std::optional<size_t>> count = socket_.Read(buffer);
      if (!count.ok()) return count.status();
      if (!count->has_value()) continue;
      if (absl::Status status = transfer.receive({buffer.data(), **count}); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  ConnectionOptions MakeConnectionOptions() const {
    return {.authority = url_.authority(),
            .security = url_.https ? Security::kTls : Security::kPlaintext,
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
    absl::StatusOr<net::Socket> socket = Dial();
    if (!socket.ok()) return socket.status();
    socket_ = *std::move(socket);
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

  const Url url_;
  const ChannelOptions options_;
  const std::chrono::milliseconds timeout_;
  TimePoint end_{};  // of the step
  std::vector<net::Address> addresses_;
  net::Socket socket_;
};

}  // namespace

ProbeReport Probe(std::string_view url, const ChannelOptions& options,
                  std::chrono::milliseconds timeout) {
  const absl::StatusOr<Url> parsed = ParseUrl(url);
  if (!parsed.ok()) return {.name_resolution = ProbeStep{.status = parsed.status()}};
  return HostProbe(*parsed, options, timeout).Run();
}

}  // namespace cursorwire::connect
