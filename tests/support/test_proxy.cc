#include "support/test_proxy.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/file_descriptor.h"
#include "tls/certificate_authority.h"
#include "tls/openssl.h"

namespace cursorwire::test {
namespace {

using proxy::ProxyKind;

// One connection to the proxy: blocking, through TLS or not.
class ProxyClient {
 public:
  ProxyClient(int fd, SSL_CTX* context) : fd_(fd) {
    if (context == nullptr) return;
    ssl_.reset(SSL_new(context));
    SSL_set_fd(ssl_.get(), fd);
    is_broken_ = SSL_accept(ssl_.get()) != 1;
  }

  int fd() const { return fd_; }
  bool has_pending() const { return ssl_ != nullptr && SSL_pending(ssl_.get()) > 0; }
  // "": it has ended.
  std::string Read(size_t most) {
    if (is_broken_) return "";
    std::string bytes(most, '\0');
    const ssize_t count = ssl_ == nullptr
                              ? ::recv(fd_, bytes.data(), bytes.size(), 0)
                              : SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return bytes;
  }
  bool Write(std::string_view bytes) {
    while (!bytes.empty() && !is_broken_) {
      const ssize_t count =
          ssl_ == nullptr ? ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL)
                          : SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return !is_broken_;
  }
  // nullopt: it ends before.
  std::optional<std::string> ReadExactly(size_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      const std::string more = Read(size - bytes.size());
      if (more.empty()) return std::nullopt;
      bytes += more;
    }
    return bytes;
  }

 private:
  const int fd_;
  tls::OpenSslPtr<SSL> ssl_;
  bool is_broken_ = false;
};

FileDescriptor ConnectToPort(int port) {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    fd.Reset();
  }
  return fd;
}

void RelayBytes(ProxyClient& client, int server) {
  std::array<pollfd, 2> fds{pollfd{.fd = client.fd(), .events = POLLIN, .revents = 0},
                            pollfd{.fd = server, .events = POLLIN, .revents = 0}};
  std::array<char, 16 * 1024> buffer{};
  for (;;) {
    if (!client.has_pending() && ::poll(fds.data(), fds.size(), -1) <= 0) return;
    if (client.has_pending() || fds[0].revents != 0) {
      std::string_view bytes;
      const std::string read = client.Read(buffer.size());
      for (bytes = read; !bytes.empty();) {
        const ssize_t count = ::send(server, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return;
        bytes.remove_prefix(static_cast<size_t>(count));
      }
      if (read.empty()) return;
    }
    if (fds[1].revents != 0) {
      const ssize_t count = ::recv(server, buffer.data(), buffer.size(), 0);
      if (count <= 0 || !client.Write({buffer.data(), static_cast<size_t>(count)})) return;
    }
  }
}

int PortAt(std::string_view bytes) {
  return static_cast<uint8_t>(bytes[0]) << 8 | static_cast<uint8_t>(bytes[1]);
}

}  // namespace

class TestProxy::Impl {
 public:
  explicit Impl(TestProxyOptions options) : options_(std::move(options)) {
    if (options_.kind == ProxyKind::kHttps) MakeContext();
    listener_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(listener_.get(), 16);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (const FileDescriptor& fd : open_) ::shutdown(fd.get(), SHUT_RDWR);
    }
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
  }

  int port() const { return port_; }
  const TestProxyOptions& options() const { return options_; }
  const std::string& ca_pem() const { return ca_pem_; }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void MakeContext() {
    const auto authority =
        *tls::CertificateAuthority::Create(std::chrono::system_clock::now(), std::chrono::hours(1));
    const auto identity = *authority.Issue("DNS:localhost");
    ca_pem_ = authority.certificate_pem();
    context_.reset(SSL_CTX_new(TLS_server_method()));
    const tls::OpenSslPtr<BIO> certificate = tls::ReadBio(identity.certificate_pem);
    const tls::OpenSslPtr<BIO> key = tls::ReadBio(identity.private_key_pem);
    const tls::OpenSslPtr<X509> x509(
        PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr));
    const tls::OpenSslPtr<EVP_PKEY> private_key(
        PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(context_.get(), x509.get());
    SSL_CTX_use_PrivateKey(context_.get(), private_key.get());
  }

  // Its end is closed with the proxy. -1: it stops.
  int Keep(FileDescriptor fd) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return -1;
    open_.push_back(std::move(fd));
    return open_.back().get();
  }

  void Accept() {
    // For the threads that it starts as well: OpenSSL writes to clients that are gone.
    sigset_t broken_pipe{};
    ::sigemptyset(&broken_pipe);
    ::sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    for (;;) {
      FileDescriptor accepted(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!accepted.valid()) return;
      const int fd = Keep(std::move(accepted));
      if (fd < 0) return;
      threads_.emplace_back([this, fd] {
        Serve(fd);
        ::shutdown(fd, SHUT_RDWR);
      });
    }
  }

  void Serve(int fd) {
    ProxyClient client(fd, context_.get());
    const std::optional<int> port =
        options_.kind == ProxyKind::kSocks5 || options_.kind == ProxyKind::kSocks5h
            ? ServeSocks(client)
            : ServeConnect(client);
    if (!port) return;
    const int server = Keep(ConnectToPort(*port));
    if (server < 0) return;
    RelayBytes(client, server);
    ::shutdown(server, SHUT_RDWR);
  }

  // False: this connection is closed now.
  bool Note(const std::string& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    return static_cast<int>(requests_.size()) > options_.closes;
  }

  std::optional<int> ServeConnect(ProxyClient& client) {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      const std::string byte = client.Read(1);
      if (byte.empty()) return std::nullopt;
      head += byte;
    }
    if (!Note(head)) return std::nullopt;
    while (options_.silent && !client.Read(1).empty()) continue;
    const std::string login =
        absl::Base64Escape(absl::StrCat(options_.user, ":", options_.password));
    std::string answer = options_.answer;
    if (answer.empty() && !options_.user.empty() && head.find(login) == head.npos) {
      answer = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n";
    }
    if (!answer.empty()) {
      client.Write(answer);
      return std::nullopt;
    }
    client.Write("HTTP/1.0 200 Connection established\r\nVia: test\r\n\r\n");
    const size_t colon = head.rfind(':', head.find(" HTTP/"));
    return std::stoi(head.substr(colon + 1));
  }

  bool TakeLogin(ProxyClient& client) {
    const auto head = client.ReadExactly(2);
    if (!head) return false;
    const auto user = client.ReadExactly(static_cast<uint8_t>((*head)[1]));
    const auto size = client.ReadExactly(1);
    if (!user || !size) return false;
    const auto password = client.ReadExactly(static_cast<uint8_t>((*size)[0]));
    if (!password) return false;
    const bool is_right = *user == options_.user && *password == options_.password;
    client.Write(is_right ? std::string("\1\0", 2) : std::string("\1\1", 2));
    return is_right;
  }

  std::optional<int> ServeSocks(ProxyClient& client) {
    const auto greeting = client.ReadExactly(2);
    if (!greeting || !client.ReadExactly(static_cast<uint8_t>((*greeting)[1]))) return std::nullopt;
    client.Write(options_.user.empty() ? std::string("\5\0", 2) : std::string("\5\2", 2));
    if (!options_.user.empty() && !TakeLogin(client)) return std::nullopt;
    const auto head = client.ReadExactly(5);
    if (!head) return std::nullopt;
    const size_t left = (*head)[3] == 3   ? static_cast<uint8_t>((*head)[4])
                        : (*head)[3] == 1 ? size_t{3}
                                          : size_t{15};
    const auto rest = client.ReadExactly(left + 2);
    if (!rest || !Note(*head + *rest)) return std::nullopt;
    client.Write(std::string("\5\0\0\1\0\0\0\0\0\0", 10));
    return PortAt(std::string_view(*rest).substr(left));
  }

  const TestProxyOptions options_;
  tls::OpenSslPtr<SSL_CTX> context_;
  std::string ca_pem_;
  FileDescriptor listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  bool stopping_ = false;            // guarded by mutex_, as the next two
  std::deque<FileDescriptor> open_;  // closed with the proxy
  std::vector<std::string> requests_;
  std::vector<std::thread> threads_;  // of the acceptor's thread
  std::thread acceptor_;
};

TestProxy::TestProxy(TestProxyOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
TestProxy::~TestProxy() = default;

std::string TestProxy::url() const { return url(""); }

std::string TestProxy::url(const std::string& login) const {
  const std::string at = login.empty() ? "" : login + "@";
  switch (impl_->options().kind) {
    case ProxyKind::kHttp:
      return absl::StrCat("http://", at, "127.0.0.1:", impl_->port());
    case ProxyKind::kHttps:
      return absl::StrCat("https://", at, "localhost:", impl_->port());
    case ProxyKind::kSocks5:
      return absl::StrCat("socks5://", at, "127.0.0.1:", impl_->port());
    case ProxyKind::kSocks5h:
      return absl::StrCat("socks5h://", at, "127.0.0.1:", impl_->port());
  }
  return "";
}

std::string TestProxy::ca_pem() const { return impl_->ca_pem(); }
std::vector<std::string> TestProxy::requests() const { return impl_->requests(); }

}  // namespace cursorwire::test
