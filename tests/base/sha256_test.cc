#include "base/sha256.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "support/hex.h"

namespace cursorwire {
namespace {

using test::FromHex;

TEST(Sha256, MatchesTheVectorsOfTheStandard) {
  // FIPS 180-4, examples.
  EXPECT_EQ(Sha256("abc"),
            FromHex("ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad"));
  EXPECT_EQ(Sha256(""),
            FromHex("e3b0c442 98fc1c14 9afbf4c8 996fb924 27ae41e4 649b934c a495991b 7852b855"));
}

TEST(Sha256Hasher, SaysTheSameEachTime) {
  Sha256Hasher hasher;
  for (const char* text :
       {"abc", "", "abc", "a longer text than one block of the algorithm takes at once"}) {
    const std::array<uint8_t, 32> hash = hasher.Hash(text);
    EXPECT_EQ(std::string(hash.begin(), hash.end()), Sha256(text));
  }
}

}  // namespace
}  // namespace cursorwire
