#include "mcp/web_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace cursorwire::mcp {

WebServer::WebServer(Handler handler)
    : handler_(std::move(handler)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener_.get(), generic, size), 0);
  EXPECT_EQ(::listen(listener_.get(), 64), 0);
  EXPECT_EQ(::getsockname(listener_.get(), generic, &size), 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Accept(); });
}

WebServer::~WebServer() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  {
    const std::lock_guard lock(mutex_);
    for (const FileDescriptor& connection : connections_) {
      ::shutdown(connection.get(), SHUT_RDWR);
    }
  }
  thread_.join();
}

std::vector<WebServer::Request> WebServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::string WebServer::Answer(const std::string& status, const std::string& headers,
                              const std::string& body) {
  return "HTTP/1.1 " + status + "\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void WebServer::Accept() {
  for (;;) {
    FileDescriptor connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.valid()) break;
    const int fd = connection.get();
    {
      const std::lock_guard lock(mutex_);
      connections_.push_back(std::move(connection));
    }
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
  for (std::thread& thread : threads_) thread.join();
}

void WebServer::Serve(int connection) {
  std::string input;
  while (ServeOne(connection, input)) {
  }
  ::shutdown(connection, SHUT_RDWR);
}

bool WebServer::ServeOne(int connection, std::string& input) {
  const auto read_until = [&](const auto& done) {
    std::array<char, 4096> block{};
    while (!done()) {
      const ssize_t count = ::read(connection, block.data(), block.size());
      if (count <= 0) return false;
      input.append(block.data(), static_cast<size_t>(count));
    }
    return true;
  };
  constexpr std::string_view kEnd = "\r\n\r\n";
  if (!read_until([&] { return input.find(kEnd) != input.npos; })) return false;
  Request request{.head = input.substr(0, input.find(kEnd) + 2)};
  input.erase(0, input.find(kEnd) + kEnd.size());
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t length = request.head.find(kLength);
  const auto size = length == std::string::npos
                        ? size_t{0}
                        : static_cast<size_t>(std::atoi(&request.head[length + kLength.size()]));
  if (!read_until([&] { return input.size() >= size; })) return false;
  request.body = input.substr(0, size);
  input.erase(0, size);
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  const std::string answer = handler_(request);
  for (std::string_view left = answer; !left.empty();) {
    const ssize_t count = ::send(connection, left.data(), left.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    left.remove_prefix(static_cast<size_t>(count));
  }
  const size_t body = answer.find(kEnd);
  const size_t length_at = answer.find(kLength);
  return length_at < body &&
         answer.size() - body - kEnd.size() ==
             static_cast<size_t>(std::atoi(&answer[length_at + kLength.size()]));
}

}  // namespace cursorwire::mcp
