#ifndef CURSORWIRE_TESTS_TLS_ENGINE_ENDS_H_
#define CURSORWIRE_TESTS_TLS_ENGINE_ENDS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cursorwire/connect/tls_options.h"
#include "support/status_matchers.h"
#include "tls/append_to.h"
#include "tls/certificate_authority.h"
#include "tls/client_context.h"
#include "tls/engine.h"
#include "tls/openssl.h"
#include "tls/server_context.h"

namespace cursorwire::tls {

using connect::TlsContext;
using std::chrono::hours;
using std::chrono::system_clock;
using test::IsOk;

inline constexpr char kApiHost[] = "api.example.test";
inline constexpr size_t kWhole = std::numeric_limits<size_t>::max();

// Trust and certificate of a client and a server that fit together unless told otherwise.
struct Identities {
  std::string ca_pem;
  ServerIdentity server;
};

inline Identities MakeIdentities(const std::string& names = std::string("DNS:") + kApiHost,
                                 system_clock::time_point now = system_clock::now()) {
  const absl::StatusOr<CertificateAuthority> authority =
      CertificateAuthority::Create(now, hours(24));
  EXPECT_THAT(authority, IsOk());
  const absl::StatusOr<ServerIdentity> identity = authority->Issue(names);
  EXPECT_THAT(identity, IsOk());
  return {authority->certificate_pem(), *identity};
}

inline std::unique_ptr<Engine> Client(const std::string& ca_pem,
                                      const std::string& host = kApiHost) {
  const auto context = TlsContext::Create({.ca_pem = ca_pem});
  EXPECT_THAT(context, IsOk());
  absl::StatusOr<std::unique_ptr<Engine>> engine =
      Engine::Connect(ClientContext::From(**context), host);
  EXPECT_THAT(engine.status(), IsOk());
  return *std::move(engine);
}

inline std::unique_ptr<Engine> Server(const ServerIdentity& identity) {
  const absl::StatusOr<ServerContext> context = ServerContext::Create(identity);
  EXPECT_THAT(context, IsOk());
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Accept(*context);
  EXPECT_THAT(engine.status(), IsOk());
  return *std::move(engine);
}

inline std::string TakeOutput(Engine& engine) {
  std::string bytes(engine.PendingOutput());
  engine.ConsumeOutput(bytes.size());
  return bytes;
}

// Two ends of a connection and what each got. An end that failed takes no more.
struct Ends {
  std::unique_ptr<Engine> client;
  std::unique_ptr<Engine> server;
  std::string client_plaintext{};
  std::string server_plaintext{};
  absl::Status client_status{};
  absl::Status server_status{};

  // Carries bytes both ways until no end has any, in pieces of at most `piece_bytes`.
  void Join(size_t piece_bytes = kWhole) {
    for (;;) {
      const std::string to_server = TakeOutput(*client);
      const std::string to_client = TakeOutput(*server);
      if (to_server.empty() && to_client.empty()) return;
      Carry(to_server, piece_bytes, *server, server_plaintext, server_status);
      Carry(to_client, piece_bytes, *client, client_plaintext, client_status);
    }
  }

  static void Carry(std::string_view bytes, size_t piece_bytes, Engine& to, std::string& plaintext,
                    absl::Status& status) {
    while (!bytes.empty() && status.ok()) {
      const std::string_view piece = bytes.substr(0, piece_bytes);
      status = to.Receive(piece, AppendTo(plaintext));
      bytes.remove_prefix(piece.size());
    }
  }
};

inline Ends MakeEnds(const Identities& identities, const std::string& host = kApiHost) {
  return {.client = Client(identities.ca_pem, host), .server = Server(identities.server)};
}

inline Ends JoinedEnds() {
  Ends ends = MakeEnds(MakeIdentities());
  ends.Join();
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_THAT(ends.server_status, IsOk());
  EXPECT_TRUE(ends.client->handshake_done());
  EXPECT_TRUE(ends.server->handshake_done());
  return ends;
}

inline std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 >> 3);
  return bytes;
}

// A server of other settings than ours, straight on OpenSSL.
class RawServer {
 public:
  explicit RawServer(const ServerIdentity& identity) : context_(SSL_CTX_new(TLS_server_method())) {
    const OpenSslPtr<BIO> certificate_bio = ReadBio(identity.certificate_pem);
    const OpenSslPtr<X509> certificate(
        PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr));
    const OpenSslPtr<BIO> key_bio = ReadBio(identity.private_key_pem);
    const OpenSslPtr<EVP_PKEY> key(
        PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
    EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), certificate.get()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), key.get()), 1);
  }

  SSL_CTX* context() { return context_.get(); }
  SSL* ssl() { return ssl_.get(); }

  void ChooseAlpn(const char* protocol) {
    // `protocol` in wire form: its length before it. nullptr refuses with an alert.
    SSL_CTX_set_alpn_select_cb(
        context_.get(),
        [](SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char*,
           unsigned int, void* choice) -> int {
          if (choice == nullptr) return SSL_TLSEXT_ERR_ALERT_FATAL;
          const auto* const wire = static_cast<const unsigned char*>(choice);
          *out_size = wire[0];
          *out = wire + 1;
          return SSL_TLSEXT_ERR_OK;
        },
        const_cast<char*>(protocol));
  }

  // Runs the handshake with `client` until one end fails or both are done; the client's status.
  absl::Status Join(Engine& client) {
    ssl_.reset(SSL_new(context_.get()));
    BIO* const input = BIO_new(BIO_s_mem());
    BIO* const output = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), input, output);
    SSL_set_accept_state(ssl_.get());
    for (;;) {
      const std::string to_server = TakeOutput(client);
      if (to_server.empty()) return absl::OkStatus();
      BIO_write(input, to_server.data(), static_cast<int>(to_server.size()));
      SSL_do_handshake(ssl_.get());
      TakeOpenSslErrors();
      char* data = nullptr;
      const long size = BIO_get_mem_data(output, &data);
      const std::string to_client(data, static_cast<size_t>(size));
      BIO_reset(output);
      std::string plaintext;
      if (absl::Status status = client.Receive(to_client, AppendTo(plaintext)); !status.ok())
        return status;
    }
  }

 private:
  OpenSslPtr<SSL_CTX> context_;
  OpenSslPtr<SSL> ssl_;
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_TESTS_TLS_ENGINE_ENDS_H_
