#include "net/socket.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace cursorwire::net {
namespace {

// A text such as "connection refused", for the middle of a sentence.
std::string Reason(int error) {
  std::string reason = std::generic_category().message(error);
  if (!reason.empty()) reason.front() = absl::ascii_tolower(static_cast<unsigned char>(reason[0]));
  return reason;
}

absl::Status OsError(std::string_view what, int error, Replay replay) {
  return TransportError(absl::StrCat(std::string(what), ": ", Reason(error)), replay);
}

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

bool Address::is_loopback() const {
  if (storage.ss_family == AF_INET) {
    const auto& address = reinterpret_cast<const sockaddr_in&>(storage);
    return ntohl(address.sin_addr.s_addr) >> 24 == 127;
  }
  return storage.ss_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr);
}

std::string Address::text() const {
  std::array<char, NI_MAXHOST> text{};
  const int error = ::getnameinfo(reinterpret_cast<const sockaddr*>(&storage), size, text.data(),
                                  text.size(), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? text.data() : "?";
}

Socket::Socket(FileDescriptor fd) : fd_(std::move(fd)) {
  const int on = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

absl::StatusOr<Socket> Socket::Connect(const Address& address) {
  FileDescriptor fd(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!fd.valid()) return OsError("socket", errno, Replay::kSafe);
  Socket socket(std::move(fd));
  const auto* raw = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::connect(socket.fd(), raw, address.size) == 0 || errno == EINPROGRESS) return socket;
  return TransportError(Reason(errno), Replay::kSafe);
}

absl::Status Socket::FinishConnect() const {
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return TransportError(Reason(error), Replay::kSafe);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<size_t>> Socket::Read(std::span<char> buffer) const {
  const ssize_t count = ::recv(fd(), buffer.data(), buffer.size(), 0);
  if (count >= 0) return static_cast<size_t>(count);
  if (WouldBlock(errno)) return std::nullopt;
  return OsError("connection lost", errno, Replay::kUnsafe);
}

absl::StatusOr<size_t> Socket::Write(std::string_view bytes) const {
  const ssize_t count = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<size_t>(count);
  if (WouldBlock(errno)) return size_t{0};
  return OsError("connection lost", errno, Replay::kUnsafe);
}

void Socket::CloseWrite() const { ::shutdown(fd(), SHUT_WR); }

void Socket::Abort() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  Close();
}

absl::StatusOr<LoopbackListener> LoopbackListener::Open(uint16_t port) {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!fd.valid()) return OsError("socket", errno, Replay::kSafe);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  // Lets a server that was just stopped start again on the same port.
  const int on = 1;
  if (port != 0) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  socklen_t size = sizeof(address);
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd.get(), raw, size) != 0 || ::listen(fd.get(), SOMAXCONN) != 0 ||
      ::getsockname(fd.get(), raw, &size) != 0) {
    const int error = errno;
    const std::string name = port == 0 ? "127.0.0.1" : absl::StrCat("127.0.0.1:", port);
    return OsError("listen on " + name, error, Replay::kSafe);
  }
  return LoopbackListener(std::move(fd), ntohs(address.sin_port));
}

std::optional<Socket> LoopbackListener::Accept() const {
  FileDescriptor fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  return Socket(std::move(fd));
}

}  // namespace cursorwire::net
