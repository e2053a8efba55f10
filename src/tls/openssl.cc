#include "tls/openssl.h"

#include <openssl/err.h>

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

}  // namespace cursorwire::tls
