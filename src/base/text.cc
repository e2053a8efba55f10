#include "base/text.h"

#include <absl/strings/ascii.h>

#include <cstddef>

#include "base/strings.h"

namespace cursorwire {
namespace {

int HexDigit(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (absl::ascii_isdigit(byte)) return c - '0';
  if (absl::ascii_isxdigit(byte)) return absl::ascii_tolower(byte) - 'a' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low < 0) {
      decoded.push_back(text[i]);
      continue;
    }
    decoded.push_back(static_cast<char>(high << 4 | low));
    i += 2;
  }
  return decoded;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return encoded;
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return line;
}

}  // namespace cursorwire
