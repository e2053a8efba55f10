#include "tls_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "tls/trust.h"

namespace cursorwire::bench {
namespace {

constexpr size_t kReadBytes = size_t{256} * 1024;
constexpr size_t kRecordBytes = size_t{16} * 1024;
constexpr unsigned char kAlpnH2[] = {2, 'h', '2'};

absl::StatusOr<FileDescriptor> ConnectTcp(int port) {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    return absl::UnavailableError("connect failed");
  }
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsSocket>> TlsSocket::Connect(int port, const std::string& ca_pem) {
  auto trust = tls::TrustOnly(ca_pem);
  if (!trust.ok()) return trust.status();
  tls::OpenSslPtr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_store(context.get(), trust->release());
  SSL_CTX_set_alpn_protos(context.get(), kAlpnH2, sizeof(kAlpnH2));
  tls::OpenSslPtr<SSL> ssl(SSL_new(context.get()));
  SSL_set1_host(ssl.get(), "localhost");
  SSL_set_tlsext_host_name(ssl.get(), "localhost");
  SSL_set_connect_state(ssl.get());
  absl::StatusOr<FileDescriptor> fd = ConnectTcp(port);
  if (!fd.ok()) return fd.status();
  std::unique_ptr<TlsSocket> socket(
      new TlsSocket(*std::move(fd), std::move(context), std::move(ssl)));
  if (absl::Status status = socket->Handshake(); !status.ok()) return status;
  return socket;
}

TlsSocket::TlsSocket(FileDescriptor fd, tls::OpenSslPtr<SSL_CTX> context, tls::OpenSslPtr<SSL> ssl)
    : fd_(std::move(fd)),
      context_(std::move(context)),
      ssl_(std::move(ssl)),
      input_(BIO_new(BIO_s_mem())),
      output_(BIO_new(BIO_s_mem())),
      ciphertext_(kReadBytes),
      record_(kRecordBytes) {
  SSL_set_bio(ssl_.get(), input_, output_);
}

absl::Status TlsSocket::Handshake() {
  for (;;) {
    const int result = SSL_do_handshake(ssl_.get());
    if (absl::Status status = Flush(); !status.ok()) return status;
    if (result == 1) return absl::OkStatus();
    if (SSL_get_error(ssl_.get(), result) != SSL_ERROR_WANT_READ) {
      return absl::UnavailableError("the TLS handshake failed");
    }
    if (absl::Status status = Fill(); !status.ok()) return status;
  }
}

absl::Status TlsSocket::Write(std::string_view bytes) {
  if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) <= 0) {
    return absl::UnavailableError("SSL_write failed");
  }
  return Flush();
}

absl::Status TlsSocket::Read(const std::function<void(std::string_view)>& on_record) {
  if (absl::Status status = Fill(); !status.ok()) return status;
  for (;;) {
    const int count = SSL_read(ssl_.get(), record_.data(), static_cast<int>(record_.size()));
    if (count <= 0) return absl::OkStatus();  // if it is an error, the next Fill() reports it
    on_record({record_.data(), static_cast<size_t>(count)});
  }
}

absl::Status TlsSocket::Flush() {
  char* bytes = nullptr;
  long left = BIO_get_mem_data(output_, &bytes);
  while (left > 0) {
    const ssize_t count = ::send(fd_.get(), bytes, static_cast<size_t>(left), MSG_NOSIGNAL);
    if (count <= 0) return absl::UnavailableError("write failed");
    bytes += count;
    left -= count;
  }
  BIO_reset(output_);
  return absl::OkStatus();
}

absl::Status TlsSocket::Fill() {
  const ssize_t count = ::read(fd_.get(), ciphertext_.data(), ciphertext_.size());
  if (count <= 0) return absl::UnavailableError("the server closed the connection");
  BIO_write(input_, ciphertext_.data(), static_cast<int>(count));
  return absl::OkStatus();
}

}  // namespace cursorwire::bench
