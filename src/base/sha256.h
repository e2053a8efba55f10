#ifndef CURSORWIRE_SRC_BASE_SHA256_H_
#define CURSORWIRE_SRC_BASE_SHA256_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace cursorwire {

// 32 raw bytes.
std::string Sha256(std::string_view bytes);

// The same for many small texts: a quarter of the time for a hundred bytes, since it looks for the
// algorithm once. Thread-compatible.
class Sha256Hasher {
 public:
  Sha256Hasher();

  std::array<uint8_t, 32> Hash(std::string_view bytes);

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };

  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_SHA256_H_
