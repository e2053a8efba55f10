#ifndef CURSORWIRE_TESTS_COLLAB_OCT_OCT_GOLDENS_H_
#define CURSORWIRE_TESTS_COLLAB_OCT_OCT_GOLDENS_H_

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/hex.h"
#include "support/source_folder.h"

namespace cursorwire::test {

// A frame of the recorded guest.
struct OctGoldenFrame {
  bool is_from_server = false;
  bool is_text = false;
  std::string bytes{};
  std::string plain{};  // of encrypted content: decrypted, and still compressed with gzip
  std::string json{};   // of encrypted content: what it holds, as JsonOf() writes it
};

// tests/golden/oct.txt.
struct OctGoldens {
  std::string private_key_pem{};  // a throw-away test key
  std::string public_key{};
  std::string aes_key{};
  std::string guest{};
  std::string host{};
  std::vector<OctGoldenFrame> frames{};

  // The frames with encrypted content, in both directions.
  std::vector<OctGoldenFrame> Encrypted() const {
    std::vector<OctGoldenFrame> encrypted;
    for (const OctGoldenFrame& frame : frames) {
      if (!frame.json.empty()) encrypted.push_back(frame);
    }
    return encrypted;
  }
};

inline std::string PemOf(const std::string& base64) {
  return "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n";
}

inline nlohmann::json WithHexForBinary(const nlohmann::json& value) {
  if (value.is_binary()) {
    std::string hex;
    for (const uint8_t byte : value.get_binary()) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      hex += kDigits[byte >> 4];
      hex += kDigits[byte & 15];
    }
    return {{"$hex", hex}};
  }
  nlohmann::json copy = value;
  if (!value.is_structured()) return copy;
  for (auto& element : copy) element = WithHexForBinary(element);
  return copy;
}

// With byte strings as {"$hex": ...}.
inline std::string JsonOf(const nlohmann::json& value) { return WithHexForBinary(value).dump(); }

inline void ReadOctFrame(const std::string& value, OctGoldenFrame& frame) {
  const size_t space = value.find(' ');
  frame.is_text = value.substr(0, space) == "text";
  frame.bytes = frame.is_text ? value.substr(space + 1) : FromHex(value.substr(space + 1));
}

inline OctGoldens ReadOctGoldens() {
  OctGoldens goldens;
  std::map<std::string, std::string> values;
  std::ifstream file(SourceFolder() + "/tests/golden/oct.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string value = line.substr(space + 1);
    if (word == "in" || word == "out") {
      ReadOctFrame(value,
                   goldens.frames.emplace_back(OctGoldenFrame{.is_from_server = word == "in"}));
    } else if (word == "plain") {
      goldens.frames.back().plain = FromHex(value);
    } else if (word == "json") {
      goldens.frames.back().json = value;
    } else {
      values[word] = value;
    }
  }
  goldens.private_key_pem = PemOf(values["private"]);
  goldens.public_key = values["public"];
  goldens.aes_key = FromHex(values["aes"]);
  goldens.guest = values["guest"];
  goldens.host = values["host"];
  EXPECT_EQ(goldens.frames.size(), 34u);
  EXPECT_EQ(goldens.Encrypted().size(), 13u);
  return goldens;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_COLLAB_OCT_OCT_GOLDENS_H_
