#include "tls/trust.h"

#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <limits>

#include "base/error.h"

namespace cursorwire::tls {

absl::StatusOr<OpenSslPtr<X509_STORE>> TrustOnly(std::string_view pem) {
  OpenSslPtr<X509_STORE> store(X509_STORE_new());
  if (absl::Status status = AddTrust(pem, store.get()); !status.ok()) return status;
  return store;
}

absl::Status AddTrust(std::string_view pem, X509_STORE* store) {
  const auto invalid = [](std::string_view why) {
    return LocalError(absl::StatusCode::kInvalidArgument, why);
  };
  if (pem.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return invalid("CA certificates: PEM text too large");
  }
  // Each certificate is an anchor, even if another authority signed it.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  const OpenSslPtr<BIO> bio = ReadBio(pem);
  int count = 0;
  for (;;) {
    const OpenSslPtr<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (certificate == nullptr) break;
    X509_STORE_add_cert(store, certificate.get());
    ++count;
  }
  // OpenSSL reports the end of the text as "no start line"; anything else is a broken certificate.
  const unsigned long last = ERR_peek_last_error();
  const bool at_end = ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
  const std::string reasons = TakeOpenSslErrors();
  if (!at_end) return invalid(absl::StrCat("CA certificates: ", reasons));
  if (count == 0) return invalid("CA certificates: no certificate in the PEM text");
  return absl::OkStatus();
}

absl::StatusOr<OpenSslPtr<X509_STORE>> TrustSystem() {
  OpenSslPtr<X509_STORE> store(X509_STORE_new());
  if (X509_STORE_set_default_paths(store.get()) != 1) {
    return TransportError(
        absl::StrCat("TLS: cannot load the system's roots: ", TakeOpenSslErrors()), Replay::kSafe);
  }
  return store;
}

}  // namespace cursorwire::tls
