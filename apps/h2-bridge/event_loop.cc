#include "event_loop.h"

#include <cursorwire/connect/error_info.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

namespace h2_bridge {
namespace {

using Clock = std::chrono::steady_clock;
using cursorwire::connect::ErrorOrigin;

constexpr std::string_view kNobodyReads = "nobody reads it";

bool IsTransient(int error) { return error == EAGAIN || error == EINTR; }

absl::Status TransportError(std::string_view what, int error) {
  absl::Status status =
      absl::UnavailableError(std::string(what) + ": " + std::generic_category().message(error));
  cursorwire::connect::SetErrorInfo(status, {.origin = ErrorOrigin::kTransport});
  return status;
}

}  // namespace

EventLoop::EventLoop(Relay& relay, const StandardStreams& streams,
                     cursorwire::proxy::Environment environment)
    : relay_(relay),
      streams_(streams),
      environment_(std::move(environment)),
      buffer_(std::make_unique_for_overwrite<char[]>(kMaxReadBytes)) {}

int EventLoop::Run() {
  for (;;) {
    if (const std::optional<Target> target = relay_.TakeTarget()) StartDialing(*target);
    WriteSocket();
    WriteOutput();
    if (const std::optional<int> code = relay_.exit_code()) {
      WriteSocket();  // the last words, as far as they go without waiting
      return *code;
    }
    FillEntries();
    Wait();
    CheckDeadlines(UseEntries());
  }
}

bool EventLoop::UseEntries() {
  if ((ReventsOf(output_entry_) & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
    relay_.OnParentGone(kNobodyReads);
  }
  const bool from_server = ReventsOf(socket_entry_) != 0 && UseSocket();
  if (dialer_) Dial();
  const bool from_parent = ReventsOf(input_entry_) != 0 && UseInput();
  return from_server || from_parent;
}

void EventLoop::CheckDeadlines(bool has_read) {
  if (has_read && ++reads_before_deadline_ < kMaxReadsBeforeDeadline) return;
  reads_before_deadline_ = 0;
  relay_.OnDeadline(Clock::now());
}

void EventLoop::FillEntries() {
  entries_.clear();
  // Without events, to learn of a parent that is gone.
  output_entry_ = entries_.size();
  const short output_events = relay_.parent_output().empty() ? 0 : POLLOUT;
  entries_.push_back({.fd = STDOUT_FILENO, .events = output_events, .revents = 0});
  input_entry_.reset();
  AddInput();
  socket_entry_.reset();
  AddSocket();
  if (dialer_) dialer_->AddTo(entries_);
}

// An end that was reported and is not read has no place here: it would be reported forever.
void EventLoop::AddInput() {
  reads_input_ = relay_.wants_input();
  if (relay_.input_ended() || (!reads_input_ && input_hung_up_)) return;
  input_entry_ = entries_.size();
  const short events = reads_input_ ? POLLIN : POLLRDHUP;
  entries_.push_back({.fd = STDIN_FILENO, .events = events, .revents = 0});
}

void EventLoop::AddSocket() {
  if (!socket_.valid()) return;
  const bool writes =
      tunnel_ != nullptr ? !tunnel_output_.empty() : !relay_.network_output().empty();
  short events = relay_.network_over() ? 0 : POLLIN;
  if (writes) events |= POLLOUT;
  socket_entry_ = entries_.size();
  entries_.push_back({.fd = socket_.get(), .events = events, .revents = 0});
}

void EventLoop::Wait() {
  std::optional<TimePoint> deadline = relay_.NextDeadline();
  if (dialer_ && dialer_->NextDeadline()) {
    deadline = std::min(deadline.value_or(TimePoint::max()), *dialer_->NextDeadline());
  }
  int timeout = -1;
  if (deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    timeout = static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60'000));
  }
  if (::poll(entries_.data(), entries_.size(), timeout) < 0) {
    for (pollfd& entry : entries_) entry.revents = 0;
  }
}

short EventLoop::ReventsOf(const std::optional<size_t>& entry) const {
  return entry ? entries_[*entry].revents : short{0};
}

// --- the parent

bool EventLoop::UseInput() {
  if (reads_input_) return ReadInput();
  input_hung_up_ = true;
  relay_.OnInputHangUp(Clock::now());
  return false;
}

bool EventLoop::ReadInput() {
  const ssize_t count = ::read(STDIN_FILENO, buffer_.get(), kMaxReadBytes);
  if (count > 0) {
    relay_.OnInput({buffer_.get(), static_cast<size_t>(count)}, Clock::now());
  } else if (count == 0 || !IsTransient(errno)) {
    relay_.OnInputEnd(Clock::now());
  } else {
    return false;
  }
  return true;
}

// Also at the end, when nobody waits for the parent: what goes without waiting.
void EventLoop::WriteOutput() {
  for (;;) {
    const std::string_view bytes = relay_.parent_output();
    if (bytes.empty()) return;
    const ssize_t count = streams_.Write(bytes);
    if (count >= 0) {
      relay_.ConsumeParentOutput(static_cast<size_t>(count), Clock::now());
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      return relay_.OnParentGone(errno == EPIPE ? std::string(kNobodyReads)
                                                : std::generic_category().message(errno));
    }
  }
}

// --- the server

void EventLoop::StartDialing(const Target& target) {
  if (environment_) {
    const auto proxy = ProxyFor(target, environment_);
    if (!proxy.ok()) return LoseSocket(proxy.status());
    if (proxy->has_value()) return StartDialing(**proxy, target);
  }
  dialer_.emplace(target.host, target.port);
}

void EventLoop::StartDialing(const cursorwire::proxy::Proxy& proxy, const Target& target) {
  auto tunnel = cursorwire::proxy::MakeTunnel(proxy, target.host, target.port);
  if (!tunnel.ok()) return LoseSocket(tunnel.status());
  tunnel_ = *std::move(tunnel);
  tunnel_output_ = tunnel_->TakeOutput();
  dialer_.emplace(proxy.host, static_cast<uint16_t>(proxy.port));
}

void EventLoop::Dial() {
  auto socket = dialer_->AfterPoll(entries_, Clock::now());
  if (!socket) return;
  dialer_.reset();
  if (socket->ok()) {
    socket_ = **std::move(socket);
  } else {
    LoseSocket(socket->status());
  }
}

bool EventLoop::UseSocket() {
  if (!socket_.valid()) return false;
  if (relay_.network_over()) {
    // An error, or room for the last bytes, which WriteSocket() finds.
    if ((ReventsOf(socket_entry_) & (POLLERR | POLLHUP | POLLNVAL)) != 0) socket_.Reset();
    return false;
  }
  const ssize_t count = ::recv(socket_.get(), buffer_.get(), kMaxReadBytes, 0);
  if (count > 0) {
    OnSocketBytes({buffer_.get(), static_cast<size_t>(count)});
  } else if (count < 0) {
    if (IsTransient(errno)) return false;
    LoseSocket(TransportError("the connection is lost", errno));
  } else if (tunnel_ != nullptr) {
    LoseSocket(absl::UnavailableError("the proxy closed the connection"));
  } else {
    socket_.Reset();
    relay_.OnNetworkEnd(Clock::now());
  }
  return true;
}

void EventLoop::OnSocketBytes(std::string_view bytes) {
  if (tunnel_ == nullptr) return relay_.OnNetworkInput(bytes, Clock::now());
  auto rest = tunnel_->Receive(bytes);
  if (!rest.ok()) return LoseSocket(rest.status());
  tunnel_output_ += tunnel_->TakeOutput();
  if (!rest->has_value()) return;
  tunnel_.reset();
  if (!(*rest)->empty()) relay_.OnNetworkInput(**rest, Clock::now());
}

void EventLoop::WriteSocket() {
  while (socket_.valid()) {
    const std::string_view bytes =
        tunnel_ != nullptr ? std::string_view(tunnel_output_) : relay_.network_output();
    if (bytes.empty()) {
      // What still comes is of no use: reading it would only cost time.
      if (relay_.network_over()) socket_.Reset();
      return;
    }
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) {
      // Whatever else is wrong shows when the socket is read: there may be an answer in it.
      return;
    }
    if (tunnel_ != nullptr) {
      tunnel_output_.erase(0, static_cast<size_t>(count));
    } else {
      relay_.ConsumeNetworkOutput(static_cast<size_t>(count), Clock::now());
    }
  }
}

void EventLoop::LoseSocket(const absl::Status& status) {
  socket_.Reset();
  relay_.OnNetworkError(status, Clock::now());
}

}  // namespace h2_bridge
