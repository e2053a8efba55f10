#include "http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace cursorwire::bench {
namespace {

constexpr size_t kReadBytes = size_t{64} * 1024;

}  // namespace

absl::StatusOr<HttpClient> HttpClient::Connect(int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return TransportError("cannot connect to the server", Replay::kSafe);
  }
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return HttpClient(std::move(socket));
}

absl::Status HttpClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return TransportError("the server does not read", Replay::kSafe);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status HttpClient::ReadUntil(std::string_view text) {
  std::array<char, kReadBytes> buffer{};
  while (true) {
    const size_t found = input_.find(text);
    if (found != std::string::npos) {
      input_.erase(0, found + text.size());
      return absl::OkStatus();
    }
    // What may be the beginning of it.
    if (input_.size() > text.size()) input_.erase(0, input_.size() - text.size());
    const ssize_t count = ::read(socket_.get(), buffer.data(), buffer.size());
    if (count <= 0) return TransportError("the server ended too early", Replay::kSafe);
    input_.append(buffer.data(), static_cast<size_t>(count));
  }
}

std::string StreamRequest() {
  const std::string body =
      R"({"model":"auto","stream":true,"messages":[{"role":"user","content":"Go on."}]})";
  return "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
         "Content-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string ModelsRequest() { return "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"; }

}  // namespace cursorwire::bench
