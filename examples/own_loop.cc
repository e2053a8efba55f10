// A host with its own event loop. The library uses no thread and does no I/O: the host owns the
// socket and the clock, and moves bytes and events. It talks to a local stand-in for the service.
#include <arpa/inet.h>
#include <cursorwire/connect/connection.h>
#include <cursorwire/local_upstream.h>
#include <cursorwire/run.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

// The host's part: a blocking socket is enough for one connection, with poll() as its clock.
class Host {
 public:
  explicit Host(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Host() { ::close(fd_); }

  bool connected() const { return connected_; }

  size_t Write(std::string_view bytes) {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return count < 0 ? bytes.size() : static_cast<size_t>(count);  // Read() reports a loss
  }

  // True if there is something to read before `deadline`.
  bool Wait(std::optional<Clock::time_point> deadline) {
    pollfd entry{.fd = fd_, .events = POLLIN, .revents = 0};
    int timeout = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
      timeout =
          static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60000));
    }
    return ::poll(&entry, 1, timeout) > 0;
  }

  // Empty: the server has closed the connection.
  std::string_view Read() {
    const ssize_t count = ::recv(fd_, buffer_, sizeof(buffer_), 0);
    return {buffer_, count < 0 ? 0 : static_cast<size_t>(count)};
  }

 private:
  int fd_;
  bool connected_ = false;
  char buffer_[16384] = {};
};

std::optional<Clock::time_point> Earlier(std::optional<Clock::time_point> a,
                                         std::optional<Clock::time_point> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

void Apply(const cursorwire::RunOutput& output, cursorwire::connect::Connection& connection,
           cursorwire::connect::CallId call) {
  if (const auto* send = std::get_if<cursorwire::SendMessage>(&output)) {
    // An error means that the call has ended, which is reported as an event.
    (void)connection.Send(call, send->message);
  } else if (std::holds_alternative<cursorwire::CloseSend>(output)) {
    connection.CloseSend(call);
  } else {
    connection.Cancel(call);
  }
}

int Fail(const absl::Status& status) {
  std::cerr << status << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  auto upstream = cursorwire::LocalUpstream::Start();
  if (!upstream.ok()) return Fail(upstream.status());
  const std::string url = upstream->url();
  const std::string authority = url.substr(url.find("//") + 2);
  Host host(std::stoi(authority.substr(authority.find(':') + 1)));
  if (!host.connected()) return Fail(absl::UnavailableError("cannot connect"));

  const auto ids = cursorwire::RandomIds();
  cursorwire::Run run({.prompt = argc > 1 ? argv[1] : "Hello from a loop of my own"},
                      {.token = "any"}, *ids, Clock::now());
  cursorwire::connect::Connection connection(
      {.authority = authority, .tls = {.ca_pem = upstream->ca_pem()}}, Clock::now());
  const cursorwire::connect::CallId call = connection.StartCall(run.call_request(), Clock::now());

  while (!run.finished()) {
    while (connection.unsent_bytes(call) <= cursorwire::connect::kSendHighWater) {
      const auto output = run.PollOutput();
      if (!output) break;
      Apply(*output, connection, call);
    }
    for (auto out = connection.PendingOutput(); !out.empty(); out = connection.PendingOutput()) {
      connection.ConsumeOutput(host.Write(out));
    }
    if (host.Wait(Earlier(connection.NextDeadline(), run.NextDeadline()))) {
      const std::string_view bytes = host.Read();
      if (bytes.empty()) connection.ReceiveEof(Clock::now());
      connection.Receive(bytes, Clock::now());
    }
    connection.OnDeadline(Clock::now());
    run.OnDeadline(Clock::now());
    while (auto event = connection.PollEvent()) run.On(*event, Clock::now());
    while (auto event = run.PollEvent()) {
      if (!event->ok()) return Fail(event->status());
      const auto* text = (*event)->As<cursorwire::TextDelta>();
      if (text != nullptr) std::cout << text->text << std::flush;
    }
  }
  std::cout << "\n";
}
