#include "tls/openssl.h"

#include <absl/strings/str_cat.h>
#include <openssl/err.h>

#include "base/error.h"

namespace cursorwire::tls {

std::string TakeOpenSslErrors() {
  std::string text;
  for (unsigned long code = ERR_get_error(); code != 0; code = ERR_get_error()) {
    const char* reason = ERR_reason_error_string(code);
    if (!text.empty()) text += "; ";
    text += reason != nullptr ? reason : "error " + std::to_string(code);
  }
  return text.empty() ? "unknown error" : text;
}

OpenSslPtr<BIO> ReadBio(std::string_view bytes) {
  return OpenSslPtr<BIO>(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

bool IsIpAddress(const std::string& host) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(host.c_str());
  if (address == nullptr) TakeOpenSslErrors();
  const bool is_address = address != nullptr;
  ASN1_OCTET_STRING_free(address);
  return is_address;
}

absl::Status SetExpectedHost(SSL* ssl, const std::string& host) {
  bool ok = false;
  if (IsIpAddress(host)) {
    ok = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  } else {
    // RFC 9525, 2: the common name of the subject must be ignored.
    SSL_set_hostflags(ssl,
                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    ok = SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
  }
  if (ok) return absl::OkStatus();
  return LocalError(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("TLS: bad host name: ", TakeOpenSslErrors()));
}

}  // namespace cursorwire::tls
