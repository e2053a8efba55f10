#include "random_text.h"

#include <sys/random.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace cursor_gateway {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
// Larger bytes would make the first characters more likely than the others.
constexpr unsigned kFairBytes = 256 / kAlphabet.size() * kAlphabet.size();

}  // namespace

std::string RandomText(size_t characters) {
  std::string text;
  while (text.size() < characters) {
    std::array<unsigned char, 64> bytes{};
    // Up to 256 bytes never fail once the system has begun to run (getrandom(2)).
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
      std::abort();
    }
    for (const unsigned byte : bytes) {
      if (byte < kFairBytes && text.size() < characters) text += kAlphabet[byte % kAlphabet.size()];
    }
  }
  return text;
}

}  // namespace cursor_gateway
