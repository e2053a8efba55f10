#include "tls/client_identity.h"

#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <limits>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::tls {
namespace {

absl::Status Invalid(std::string_view what) {
  return LocalError(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("client certificate: ", ToAbsl(what), ": ", TakeOpenSslErrors()));
}

// Replaces OpenSSL's default, which asks on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

absl::Status UseCertificates(std::string_view pem, SSL_CTX* context) {
  const OpenSslPtr<BIO> bio = ReadBio(pem);
  const OpenSslPtr<X509> own(PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr));
  if (own == nullptr) return Invalid("no certificate in the PEM text");
  if (SSL_CTX_use_certificate(context, own.get()) != 1) return Invalid("not usable");
  for (;;) {
    OpenSslPtr<X509> next(PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr));
    if (next == nullptr) break;
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1) return Invalid("chain not usable");
    (void)next.release();  // the context owns it now
  }
  // OpenSSL reports the end of the text as "no start line".
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!at_end) return Invalid("a certificate of the chain does not parse");
  ERR_clear_error();
  return absl::OkStatus();
}

}  // namespace

absl::Status UseIdentity(std::string_view certificates_pem, std::string_view key_pem,
                         SSL_CTX* context) {
  constexpr size_t kMaxPemBytes = std::numeric_limits<int32_t>::max();
  if (certificates_pem.size() > kMaxPemBytes || key_pem.size() > kMaxPemBytes) {
    return LocalError(absl::StatusCode::kInvalidArgument, "client certificate: PEM text too large");
  }
  if (absl::Status status = UseCertificates(certificates_pem, context); !status.ok()) return status;
  const OpenSslPtr<BIO> bio = ReadBio(key_pem);
  const OpenSslPtr<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) return Invalid("no private key without a passphrase in the PEM text");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return Invalid("the private key is not that of the certificate");
  }
  return absl::OkStatus();
}

}  // namespace cursorwire::tls
