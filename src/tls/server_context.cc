#include "tls/server_context.h"

#include <absl/strings/str_cat.h>
#include <openssl/pem.h>

#include <cstring>
#include <utility>

#include "base/error.h"
#include "tls/trust.h"

namespace cursorwire::tls {
namespace {

constexpr unsigned char kSessionContext[] = {'h', '2'};

int SelectH2(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* offered,
             unsigned int offered_size, void*) {
  for (unsigned int at = 0; at < offered_size; at += 1u + offered[at]) {
    if (offered[at] == 2 && std::memcmp(offered + at + 1, "h2", 2) == 0) {
      *out = offered + at + 1;
      *out_size = 2;
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

absl::StatusOr<ServerContext> ServerContext::Create(const ServerIdentity& identity,
                                                    std::string_view client_ca_pem) {
  const OpenSslPtr<BIO> certificate_bio = ReadBio(identity.certificate_pem);
  const OpenSslPtr<X509> certificate(
      PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr));
  const OpenSslPtr<BIO> key_bio = ReadBio(identity.private_key_pem);
  const OpenSslPtr<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  OpenSslPtr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_alpn_select_cb(context.get(), SelectH2, nullptr);
  if (certificate == nullptr || key == nullptr ||
      SSL_CTX_use_certificate(context.get(), certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("server certificate: ", TakeOpenSslErrors()));
  }
  if (!client_ca_pem.empty()) {
    absl::StatusOr<OpenSslPtr<X509_STORE>> trust = TrustOnly(client_ca_pem);
    if (!trust.ok()) return trust.status();
    SSL_CTX_set_cert_store(context.get(), trust->release());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    // Without it, OpenSSL refuses clients that resume a session in which they were verified.
    SSL_CTX_set_session_id_context(context.get(), kSessionContext, sizeof(kSessionContext));
  }
  return ServerContext(std::move(context));
}

}  // namespace cursorwire::tls
