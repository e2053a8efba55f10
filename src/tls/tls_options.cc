#include "cursorwire/connect/tls_options.h"

#include <span>
#include <utility>

#include "base/error.h"
#include "tls/client_context.h"
#include "tls/client_identity.h"
#include "tls/session_cache.h"
#include "tls/trust.h"

namespace cursorwire::connect {
namespace {

// The wire form of ALPN: RFC 9113, 3.2.
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

void Offer(tls::Protocol protocol, SSL_CTX* context) {
  const std::span<const unsigned char> alpn =
      protocol == tls::Protocol::kHttp2 ? std::span<const unsigned char>(kAlpnH2) : tls::kAlpnHttp1;
  // 0 means success here, unlike everywhere else in OpenSSL.
  SSL_CTX_set_alpn_protos(context, alpn.data(), static_cast<unsigned>(alpn.size()));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::Create(const TlsOptions& options) {
  return tls::ClientContext::Create(options, tls::Protocol::kHttp2);
}

}  // namespace cursorwire::connect

namespace cursorwire::tls {

absl::StatusOr<std::shared_ptr<const ClientContext>> ClientContext::Create(
    const connect::TlsOptions& options, Protocol protocol) {
  absl::StatusOr<OpenSslPtr<X509_STORE>> trust = connect::TrustOf(options);
  if (!trust.ok()) return trust.status();
  OpenSslPtr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()));
  if (absl::Status status = connect::UseIdentityOf(options, context.get()); !status.ok()) {
    return status;
  }
  SSL_CTX_set_min_proto_version(context.get(), options.min_version == connect::TlsVersion::kTls13
                                                   ? TLS1_3_VERSION
                                                   : TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_store(context.get(), trust->release());
  if (options.resume_sessions) SessionCache::AddTo(context.get());
  connect::Offer(protocol, context.get());
  return std::make_shared<const ClientContext>(std::move(context), protocol);
}

}  // namespace cursorwire::tls
