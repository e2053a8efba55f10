#include "tls/peer_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <ctime>

#include "base/strings.h"

namespace cursorwire::tls {
namespace {

constexpr size_t kMaxQuotedBytes = 200;

std::string NameText(const X509_NAME* name) {
  const OpenSslPtr<BIO> text(BIO_new(BIO_s_mem()));
  if (text == nullptr || X509_NAME_print_ex(text.get(), name, 0, XN_FLAG_RFC2253) < 0) return "?";
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  if (size <= 0) return "?";
  return Printable({bytes, static_cast<size_t>(size)}, kMaxQuotedBytes);
}

std::string DateText(const ASN1_TIME* time) {
  std::tm date{};
  if (ASN1_TIME_to_tm(time, &date) != 1) return "?";
  return absl::StrFormat("%04d-%02d-%02d", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

}  // namespace

std::string DescribePeer(const SSL* ssl) {
  if (SSL_is_init_finished(ssl) == 0) return "";
  const unsigned char* alpn = nullptr;
  unsigned int alpn_size = 0;
  SSL_get0_alpn_selected(ssl, &alpn, &alpn_size);
  std::string text = absl::StrCat(
      SSL_get_version(ssl), ", ALPN ",
      alpn_size == 0
          ? "none"
          : Printable({reinterpret_cast<const char*>(alpn), alpn_size}, kMaxQuotedBytes));
  const X509* certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) return text;
  absl::StrAppend(&text, "; certificate of ", NameText(X509_get_subject_name(certificate)),
                  ", signed by ", NameText(X509_get_issuer_name(certificate)), ", good until ",
                  DateText(X509_get0_notAfter(certificate)));
  return text;
}

}  // namespace cursorwire::tls
