#ifndef CURSORWIRE_SRC_BASE_SHA256_H_
#define CURSORWIRE_SRC_BASE_SHA256_H_

#include <string>
#include <string_view>

namespace cursorwire {

// 32 raw bytes.
std::string Sha256(std::string_view bytes);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_SHA256_H_
