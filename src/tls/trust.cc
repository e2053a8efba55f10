#include "tls/trust.h"

#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <cstdlib>
#include <limits>

#include "base/error.h"
#include "tls/lazy_bundle.h"

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
  const char* const own_file = std::getenv(X509_get_default_cert_file_env());  // NOLINT: as OpenSSL
  bool ok = false;
  if (own_file != nullptr) {
    ok = X509_STORE_set_default_paths(store.get()) == 1;
  } else {
    const char* const own_folder = std::getenv(X509_get_default_cert_dir_env());  // NOLINT
    const char* const folder = own_folder == nullptr ? X509_get_default_cert_dir() : own_folder;
    // Its certificates are found by name, each in a file of its own.
    X509_LOOKUP* const lookup = X509_STORE_add_lookup(store.get(), X509_LOOKUP_hash_dir());
    ok = lookup != nullptr && X509_LOOKUP_add_dir(lookup, folder, X509_FILETYPE_PEM) == 1;
    AddLazyBundle(X509_get_default_cert_file(), store.get());
  }
  if (ok) return store;
  return TransportError(absl::StrCat("TLS: cannot load the system's roots: ", TakeOpenSslErrors()),
                        Replay::kSafe);
}

}  // namespace cursorwire::tls
