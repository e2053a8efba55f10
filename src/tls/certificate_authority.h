#ifndef CURSORWIRE_SRC_TLS_CERTIFICATE_AUTHORITY_H_
#define CURSORWIRE_SRC_TLS_CERTIFICATE_AUTHORITY_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <string>

#include "tls/openssl.h"
#include "tls/server_context.h"

namespace cursorwire::tls {

// A certificate authority that exists only in memory and is trusted only by those who are given its
// certificate. For servers on this machine. Thread-compatible.
class CertificateAuthority {
 public:
  // A new P-256 key and a certificate that is valid from an hour before `now` for `validity`.
  static absl::StatusOr<CertificateAuthority> Create(std::chrono::system_clock::time_point now,
                                                     std::chrono::hours validity);

  const std::string& certificate_pem() const { return certificate_pem_; }

  // A new key and a certificate for these subject alternative names in OpenSSL's form, such as
  // "DNS:localhost,IP:127.0.0.1". Usable by servers, and by clients that must show a certificate.
  absl::StatusOr<ServerIdentity> Issue(const std::string& subject_alternative_names) const;

 private:
  CertificateAuthority() = default;

  OpenSslPtr<EVP_PKEY> key_;
  OpenSslPtr<X509> certificate_;
  std::string certificate_pem_;
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_CERTIFICATE_AUTHORITY_H_
