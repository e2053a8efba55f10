#ifndef CURSORWIRE_SRC_NET_SOCKET_H_
#define CURSORWIRE_SRC_NET_SOCKET_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"

namespace cursorwire::net {

// An IP address with port. A value.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  // 127.0.0.0/8 or ::1.
  bool is_loopback() const;
  // Without the port: "127.0.0.1", "::1"; "?" for another family.
  std::string text() const;
};

// A connected or connecting TCP socket that never blocks and has Nagle's algorithm off.
// Thread-compatible.
class Socket {
 public:
  Socket() = default;
  explicit Socket(FileDescriptor fd);

  // Begins to connect. Wait until the socket is writable, then ask FinishConnect().
  //   kUnavailable  refused at once, no route, no descriptor left; the message is only the reason
  static absl::StatusOr<Socket> Connect(const Address& address);
  //   kUnavailable  the connection was refused or failed otherwise; as above
  absl::Status FinishConnect() const;

  // Reads what is available, at most `buffer`'s size. nullopt: nothing yet. 0 bytes: the peer
  // closed its side.
  absl::StatusOr<std::optional<size_t>> Read(std::span<char> buffer) const;
  // Writes what the kernel accepts now, possibly nothing.
  absl::StatusOr<size_t> Write(std::string_view bytes) const;

  int fd() const { return fd_.get(); }
  bool valid() const { return fd_.valid(); }
  void Close() { fd_.Reset(); }
  // Ends sending; reading goes on. Closing a socket with unread bytes would send a reset instead.
  void CloseWrite() const;
  // Closes with a reset: the peer may lose what it has not read yet.
  void Abort();

 private:
  FileDescriptor fd_;
};

// A listening socket on 127.0.0.1. Thread-compatible.
class LoopbackListener {
 public:
  // Port 0: the kernel chooses one.
  //   kUnavailable  the port is in use, or no descriptor is left
  static absl::StatusOr<LoopbackListener> Open(uint16_t port = 0);

  // nullopt: no connection is waiting.
  std::optional<Socket> Accept() const;
  int port() const { return port_; }
  int fd() const { return fd_.get(); }

 private:
  LoopbackListener(FileDescriptor fd, int port) : fd_(std::move(fd)), port_(port) {}

  FileDescriptor fd_;
  int port_;
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_SOCKET_H_
