#include "cursorwire/id_source.h"

#include <array>
#include <cstdint>
#include <random>

namespace cursorwire {
namespace {

class RandomIdSource final : public IdSource {
 public:
  std::string Uuid() override {
    std::random_device random;  // uses the system; threads share no state
    std::array<uint8_t, 16> bytes{};
    for (size_t i = 0; i < bytes.size(); i += 4) {
      const uint32_t word = random();
      for (size_t j = 0; j < 4; ++j) bytes[i + j] = static_cast<uint8_t>(word >> (8 * j));
    }
    bytes[6] = static_cast<uint8_t>(0x40 | (bytes[6] & 0x0F));  // version 4
    bytes[8] = static_cast<uint8_t>(0x80 | (bytes[8] & 0x3F));  // RFC 9562, variant
    return Format(bytes);
  }

 private:
  static std::string Format(const std::array<uint8_t, 16>& bytes) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
      text += kHex[bytes[i] >> 4];
      text += kHex[bytes[i] & 0x0F];
    }
    return text;
  }
};

}  // namespace

std::shared_ptr<IdSource> RandomIds() { return std::make_shared<RandomIdSource>(); }

}  // namespace cursorwire
