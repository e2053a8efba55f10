#include "cursorwire/connect/tls_options.h"

#include <utility>

#include "base/error.h"
#include "tls/client_context.h"
#include "tls/client_identity.h"
#include "tls/session_cache.h"
#include "tls/trust.h"

namespace cursorwire::connect {
namespace {

// ALPN wire form of "h2". Source: RFC 9113, 3.2.
constexpr unsigned char kAlpnH2[] = {2, 'h', '2'};

absl::StatusOr<tls::OpenSslPtr<X509_STORE>> TrustOf(const TlsOptions& options) {
  if (!options.ca_pem.empty() && !options.extra_ca_pem.empty()) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "TlsOptions: ca_pem trusts these alone, extra_ca_pem others beside them; set "
                      "one of the two");
  }
  if (!options.ca_pem.empty()) return tls::TrustOnly(options.ca_pem);
  absl::StatusOr<tls::OpenSslPtr<X509_STORE>> trust = tls::TrustSystem();
  if (trust.ok() && !options.extra_ca_pem.empty()) {
    absl::Status status = tls::AddTrust(options.extra_ca_pem, trust->get());
    if (!status.ok()) return status;
  }
  return trust;
}

absl::Status UseIdentityOf(const TlsOptions& options, SSL_CTX* context) {
  if (options.client_certificate_pem.empty() != options.client_key_pem.empty()) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "TlsOptions: client_certificate_pem and client_key_pem go together");
  }
  if (options.client_key_pem.empty()) return absl::OkStatus();
  return tls::UseIdentity(options.client_certificate_pem, options.client_key_pem, context);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::Create(const TlsOptions& options) {
  absl::StatusOr<tls::OpenSslPtr<X509_STORE>> trust = TrustOf(options);
  if (!trust.ok()) return trust.status();
  tls::OpenSslPtr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()));
  if (absl::Status status = UseIdentityOf(options, context.get()); !status.ok()) return status;
  SSL_CTX_set_min_proto_version(
      context.get(), options.min_version == TlsVersion::kTls13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_store(context.get(), trust->release());
  if (options.resume_sessions) tls::SessionCache::AddTo(context.get());
  // 0 means success here, unlike everywhere else in OpenSSL.
  SSL_CTX_set_alpn_protos(context.get(), kAlpnH2, sizeof(kAlpnH2));
  return std::make_shared<const tls::ClientContext>(std::move(context));
}

}  // namespace cursorwire::connect
