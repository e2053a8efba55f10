#include "tls/client_context.h"

#include <utility>

#include "tls/trust.h"

namespace cursorwire::connect {
namespace {

// ALPN wire form of "h2". Source: RFC 9113, 3.2.
constexpr unsigned char kAlpnH2[] = {2, 'h', '2'};

}  // namespace

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::Create(const TlsOptions& options) {
  absl::StatusOr<tls::OpenSslPtr<X509_STORE>> trust =
      options.ca_pem.empty() ? tls::TrustSystem() : tls::TrustOnly(options.ca_pem);
  if (!trust.ok()) return trust.status();
  tls::OpenSslPtr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_store(context.get(), trust->release());
  // 0 means success here, unlike everywhere else in OpenSSL.
  SSL_CTX_set_alpn_protos(context.get(), kAlpnH2, sizeof(kAlpnH2));
  return std::make_shared<const tls::ClientContext>(std::move(context));
}

}  // namespace cursorwire::connect
