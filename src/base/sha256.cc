#include "base/sha256.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <new>

namespace cursorwire {

std::string Sha256(std::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

void Sha256Hasher::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

// These functions fail where memory is missing, and for nothing else with SHA-256.
Sha256Hasher::Sha256Hasher() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();
  }
}

std::array<uint8_t, 32> Sha256Hasher::Hash(std::string_view bytes) {
  std::array<uint8_t, 32> digest{};
  // Without an algorithm, the one of before is used again.
  if (EVP_DigestInit_ex(context_.get(), nullptr, nullptr) != 1 ||
      EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1 ||
      EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  return digest;
}

}  // namespace cursorwire
