#include "base/sha256.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cursorwire
