#include "tls/certificate_authority.h"

#include <absl/strings/str_cat.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <utility>

#include "base/error.h"

namespace cursorwire::tls {
namespace {

constexpr long kX509Version3 = 2;

absl::Status Failed(std::string_view what) {
  return LocalError(absl::StatusCode::kInternal,
                    absl::StrCat("certificate: ", std::string(what), ": ", TakeOpenSslErrors()));
}

bool SetRandomSerial(X509* certificate) {
  unsigned char bytes[8] = {};
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return false;
  uint64_t serial = 0;
  for (const unsigned char byte : bytes) serial = serial << 8 | byte;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1;
}

bool SetCommonName(X509* certificate, const char* name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(name), -1, -1, 0) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const OpenSslPtr<X509_EXTENSION> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetValidity(X509* certificate, std::chrono::system_clock::time_point not_before,
                 std::chrono::system_clock::time_point not_after) {
  const auto seconds = [](auto time) { return std::chrono::system_clock::to_time_t(time); };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(not_before)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(not_after)) != nullptr;
}

std::string ToPem(X509* certificate) {
  const OpenSslPtr<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string ToPem(EVP_PKEY* key) {
  const OpenSslPtr<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

}  // namespace

absl::StatusOr<CertificateAuthority> CertificateAuthority::Create(
    std::chrono::system_clock::time_point now, std::chrono::hours validity) {
  CertificateAuthority authority;
  authority.key_.reset(EVP_EC_gen("P-256"));
  authority.certificate_.reset(X509_new());
  X509* const certificate = authority.certificate_.get();
  EVP_PKEY* const key = authority.key_.get();
  if (key == nullptr || certificate == nullptr) return Failed("cannot make a key");
  X509_set_version(certificate, kX509Version3);
  if (!SetRandomSerial(certificate) || !SetCommonName(certificate, "cursorwire local CA") ||
      !SetValidity(certificate, now - std::chrono::hours(1), now + validity) ||
      X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) != 1 ||
      X509_set_pubkey(certificate, key) != 1 ||
      !AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") ||
      !AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign") ||
      !AddExtension(certificate, certificate, NID_subject_key_identifier, "hash") ||
      X509_sign(certificate, key, EVP_sha256()) == 0) {
    return Failed("cannot make a CA");
  }
  authority.certificate_pem_ = ToPem(certificate);
  return authority;
}

absl::StatusOr<ServerIdentity> CertificateAuthority::Issue(
    const std::string& subject_alternative_names) const {
  const OpenSslPtr<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const OpenSslPtr<X509> certificate(X509_new());
  X509* const issuer = certificate_.get();
  if (key == nullptr || certificate == nullptr) return Failed("cannot make a key");
  X509_set_version(certificate.get(), kX509Version3);
  if (!SetRandomSerial(certificate.get()) ||
      !SetCommonName(certificate.get(), "cursorwire local server") ||
      X509_set1_notBefore(certificate.get(), X509_get0_notBefore(issuer)) != 1 ||
      X509_set1_notAfter(certificate.get(), X509_get0_notAfter(issuer)) != 1 ||
      X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer)) != 1 ||
      X509_set_pubkey(certificate.get(), key.get()) != 1 ||
      !AddExtension(certificate.get(), issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !AddExtension(certificate.get(), issuer, NID_key_usage, "critical,digitalSignature") ||
      !AddExtension(certificate.get(), issuer, NID_ext_key_usage, "serverAuth,clientAuth") ||
      !AddExtension(certificate.get(), issuer, NID_authority_key_identifier, "keyid") ||
      !AddExtension(certificate.get(), issuer, NID_subject_alt_name, subject_alternative_names) ||
      X509_sign(certificate.get(), key_.get(), EVP_sha256()) == 0) {
    return Failed("cannot issue");
  }
  return ServerIdentity{.certificate_pem = ToPem(certificate.get()),
                        .private_key_pem = ToPem(key.get())};
}

}  // namespace cursorwire::tls
