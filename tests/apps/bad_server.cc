// Servers that no client can use, for the tests of the programs: bad_server KIND CA_FILE
//   silent       prints "connected" for each connection, and never says a word to it
//   full         takes no more connections: its queue is full
//   closing      closes each connection at once
//   http1        answers each connection with an error of HTTP/1.1, without TLS
//   tls-http1    TLS, and HTTP/1.1 is all it speaks
//   self-signed  TLS with a certificate that it made itself
//   wrong-host   TLS with a certificate for another host
//   expired      TLS with a certificate of last week
// Prints the port on 127.0.0.1 that it listens on, after it has written the certificates to trust
// to CA_FILE. Ends when standard input does.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "net/socket.h"
#include "tls/certificate_authority.h"
#include "tls/openssl.h"

namespace cursorwire::test {
namespace {

using tls::OpenSslPtr;
using tls::ServerIdentity;

constexpr char kLocalNames[] = "DNS:localhost,IP:127.0.0.1";
constexpr std::chrono::hours kDay{24};

struct Listener {
  FileDescriptor fd;
  sockaddr_in address{};
};

Listener Listen(int backlog) {
  Listener listener{.fd = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  listener.address.sin_family = AF_INET;
  listener.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* raw = reinterpret_cast<sockaddr*>(&listener.address);
  socklen_t size = sizeof(listener.address);
  const bool good = ::bind(listener.fd.get(), raw, size) == 0 &&
                    ::listen(listener.fd.get(), backlog) == 0 &&
                    ::getsockname(listener.fd.get(), raw, &size) == 0;
  if (!good) listener.fd.Reset();
  return listener;
}

// Connections that wait to be taken, until one more gets no answer.
std::vector<FileDescriptor> Fill(const Listener& listener) {
  constexpr int kLook = 200;  // milliseconds; this machine answers at once, or never
  std::vector<FileDescriptor> waiting;
  for (;;) {
    FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    (void)::connect(fd.get(), reinterpret_cast<const sockaddr*>(&listener.address),
                    sizeof(listener.address));
    pollfd connected{.fd = fd.get(), .events = POLLOUT, .revents = 0};
    waiting.push_back(std::move(fd));
    if (::poll(&connected, 1, kLook) == 0) return waiting;
  }
}

void SendHttp1(int fd) {
  constexpr char kAnswer[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  char byte = 0;
  if (::recv(fd, &byte, 1, 0) == 1) (void)::send(fd, kAnswer, sizeof(kAnswer) - 1, 0);
  ::shutdown(fd, SHUT_WR);
  while (::recv(fd, &byte, 1, 0) > 0) continue;  // a reset would take the answer back
}

OpenSslPtr<X509> SelfSigned(EVP_PKEY* key) {
  OpenSslPtr<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), key);
  const OpenSslPtr<X509_EXTENSION> names(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, kLocalNames));
  X509_add_ext(certificate.get(), names.get(), -1);
  X509_sign(certificate.get(), key, EVP_sha256());
  return certificate;
}

OpenSslPtr<SSL_CTX> SelfSignedContext() {
  OpenSslPtr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  const OpenSslPtr<EVP_PKEY> key(EVP_EC_gen("P-256"));
  SSL_CTX_use_certificate(context.get(), SelfSigned(key.get()).get());
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  return context;
}

OpenSslPtr<SSL_CTX> ContextOf(const ServerIdentity& identity) {
  OpenSslPtr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  const OpenSslPtr<BIO> certificate_bio = tls::ReadBio(identity.certificate_pem);
  const OpenSslPtr<X509> certificate(
      PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr));
  const OpenSslPtr<BIO> key_bio = tls::ReadBio(identity.private_key_pem);
  const OpenSslPtr<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  SSL_CTX_use_certificate(context.get(), certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  return context;
}

// With the protocol that the server speaks, whatever the client offers.
void ChooseAlpn(SSL_CTX* context, const std::string& kind) {
  const auto choose_h2 = [](SSL*, const unsigned char** out, unsigned char* size,
                            const unsigned char*, unsigned int, void*) -> int {
    *out = reinterpret_cast<const unsigned char*>("h2");
    *size = 2;
    return SSL_TLSEXT_ERR_OK;
  };
  const auto refuse = [](SSL*, const unsigned char**, unsigned char*, const unsigned char*,
                         unsigned int, void*) -> int { return SSL_TLSEXT_ERR_ALERT_FATAL; };
  SSL_CTX_set_alpn_select_cb(context, kind == "tls-http1" ? +refuse : +choose_h2, nullptr);
}

OpenSslPtr<SSL_CTX> MakeContext(const std::string& kind, const std::string& ca_file) {
  const auto now = std::chrono::system_clock::now();
  const auto authority =
      tls::CertificateAuthority::Create(kind == "expired" ? now - 7 * kDay : now, kDay);
  if (!authority.ok()) return nullptr;
  std::ofstream(ca_file) << authority->certificate_pem();
  if (kind == "self-signed") return SelfSignedContext();
  const auto identity = authority->Issue(kind == "wrong-host" ? "DNS:example.com" : kLocalNames);
  return identity.ok() ? ContextOf(*identity) : nullptr;
}

void ServeTls(SSL_CTX* context, int fd) {
  const OpenSslPtr<SSL> ssl(SSL_new(context));
  SSL_set_fd(ssl.get(), fd);
  char byte = 0;
  if (SSL_accept(ssl.get()) == 1) (void)SSL_read(ssl.get(), &byte, 1);
  ::shutdown(fd, SHUT_WR);
  while (::recv(fd, &byte, 1, 0) > 0) continue;  // an alert of ours must not be lost by a reset
}

// One connection after the other, until standard input ends.
void Serve(const std::string& kind, SSL_CTX* context, const Listener& listener) {
  const bool accepts = kind != "full";
  std::vector<FileDescriptor> kept;
  for (;;) {
    pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                      {.fd = listener.fd.get(), .events = POLLIN, .revents = 0}};
    ::poll(ready, accepts ? 2 : 1, -1);
    if (ready[0].revents != 0) return;
    FileDescriptor fd(::accept(listener.fd.get(), nullptr, nullptr));
    if (!fd.valid()) continue;
    if (kind == "http1") SendHttp1(fd.get());
    if (context != nullptr) ServeTls(context, fd.get());
    if (kind != "silent") continue;
    kept.push_back(std::move(fd));
    std::cout << "connected" << std::endl;
  }
}

int Main(const std::string& kind, const std::string& ca_file) {
  ::signal(SIGPIPE, SIG_IGN);
  const bool full = kind == "full";
  const bool plain = full || kind == "silent" || kind == "closing" || kind == "http1";
  const OpenSslPtr<SSL_CTX> context = plain ? nullptr : MakeContext(kind, ca_file);
  if (context != nullptr) ChooseAlpn(context.get(), kind);
  const Listener listener = Listen(full ? 0 : SOMAXCONN);
  if (!listener.fd.valid() || (!plain && context == nullptr)) return 1;
  const std::vector<FileDescriptor> waiting = full ? Fill(listener) : std::vector<FileDescriptor>();
  std::cout << ntohs(listener.address.sin_port) << std::endl;
  Serve(kind, context.get(), listener);
  return 0;
}

}  // namespace
}  // namespace cursorwire::test

int main(int argc, char** argv) { return argc == 3 ? cursorwire::test::Main(argv[1], argv[2]) : 2; }
