#include "apps/gateway/raw_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace cursor_gateway {

RawClient::RawClient(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit{.tv_sec = 60, .tv_usec = 0};  // megabytes of JSON, under a sanitizer
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  const int no_delay = 1;  // as real clients: else each small write may wait for the one before
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof(no_delay));
  EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
}

void RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server has refused: its answer says why
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

bool RawClient::Receive() {
  std::array<char, 65536> buffer{};
  ssize_t size = 0;
  do {  // a socket with a timeout is interrupted by the end of any child
    size = ::recv(socket_, buffer.data(), buffer.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return false;
  received_.append(buffer.data(), static_cast<size_t>(size));
  return true;
}

std::string RawClient::ReadUntil(std::string_view end) {
  size_t at = received_.find(end);
  while (at == std::string::npos) {
    const size_t searched = received_.size() - std::min(received_.size(), end.size());
    if (!Receive()) return std::exchange(received_, "");
    at = received_.find(end, searched);
  }
  std::string read = received_.substr(0, at + end.size());
  received_.erase(0, read.size());
  return read;
}

std::string RawClient::ReadToEnd() {
  while (Receive()) {
  }
  return std::exchange(received_, "");
}

std::string RawClient::ReadResponse() {
  std::string response = ReadUntil("\r\n\r\n");
  const size_t at = response.find("Content-Length: ");
  if (at == std::string::npos) return response;
  return response += ReadSize(std::strtoul(response.c_str() + at + 16, nullptr, 10));
}

std::string RawClient::ReadSize(size_t size) {
  while (received_.size() < size && Receive()) {
  }
  std::string read = received_.substr(0, size);
  received_.erase(0, read.size());
  return read;
}

std::string RawClient::Ask(std::string_view bytes) {
  Send(bytes);
  return ReadToEnd();
}

void RawClient::Close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void RawClient::Reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  Close();
}

std::string Post(std::string_view path, std::string_view body, std::string_view fields) {
  std::string request = "POST ";
  request.append(path).append(" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
  request.append(fields).append("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  return request.append(body);
}

std::string Get(std::string_view path, std::string_view fields) {
  std::string request = "GET ";
  request.append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
  return request.append(fields).append("\r\n");
}

std::string BodyOf(const std::string& response) {
  const size_t end = response.find("\r\n\r\n");
  if (end == std::string::npos) return "";
  std::string rest = response.substr(end + 4);
  if (response.substr(0, end).find("chunked") == std::string::npos) return rest;
  std::string body;
  size_t at = 0;
  while (at < rest.size()) {
    const size_t line = rest.find("\r\n", at);
    if (line == std::string::npos) break;
    const size_t size = std::strtoul(rest.c_str() + at, nullptr, 16);
    body += rest.substr(line + 2, size);
    at = line + 2 + size + 2;
  }
  return body;
}

}  // namespace cursor_gateway
