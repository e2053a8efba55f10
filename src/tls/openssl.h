#ifndef CURSORWIRE_SRC_TLS_OPENSSL_H_
#define CURSORWIRE_SRC_TLS_OPENSSL_H_

#include <absl/status/status.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

namespace cursorwire::tls {

struct OpenSslDeleter {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
};

template <typename T>
using OpenSslPtr = std::unique_ptr<T, OpenSslDeleter>;

// The reasons in OpenSSL's error queue of this thread, oldest first, joined by "; ". Empties it.
std::string TakeOpenSslErrors();

// A read-only BIO over `bytes`, which must outlive it.
OpenSslPtr<BIO> ReadBio(std::string_view bytes);

// True for the text form of an IPv4 or IPv6 address, without brackets.
bool IsIpAddress(const std::string& host);

// What the certificate of the server must be for, and the name that is sent to it (SNI): before the
// handshake.
//   kInvalidArgument  no name or address
absl::Status SetExpectedHost(SSL* ssl, const std::string& host);

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_OPENSSL_H_
