#ifndef CURSORWIRE_TESTS_SUPPORT_HEX_H_
#define CURSORWIRE_TESTS_SUPPORT_HEX_H_

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "support/source_folder.h"

namespace cursorwire::test {

// The bytes of commented hex: pairs of digits, white space ignored, `#` to the end of its line
// ignored. A text that is not of this form fails the test and gives "".
inline std::string FromHex(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string bytes;
  int high = -1;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    const int value = digit(c);
    if (value < 0) {
      ADD_FAILURE() << "no hex digit at byte " << i << " of the text";
      return "";
    }
    if (high < 0) {
      high = value;
    } else {
      bytes.push_back(static_cast<char>(high << 4 | value));
      high = -1;
    }
  }
  if (high >= 0) {
    ADD_FAILURE() << "odd number of hex digits";
    return "";
  }
  return bytes;
}

// The bytes of tests/golden/`name`. A missing or empty file fails the test.
inline std::string Golden(const std::string& name) {
  std::ifstream file(SourceFolder() + "/tests/golden/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string bytes = FromHex(text.str());
  EXPECT_FALSE(bytes.empty()) << "no bytes in golden file " << name;
  return bytes;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_HEX_H_
