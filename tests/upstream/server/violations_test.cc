#include "upstream/server/violations.h"

#include <gtest/gtest.h>

namespace cursorwire::upstream {
namespace {

TEST(Violations, KeepsNoMoreThanAThousand) {
  Violations violations;
  for (int i = 0; i < 2000; ++i) violations.Add("bad");
  EXPECT_EQ(violations.list().size(), 1001U);
  EXPECT_EQ(violations.list().back(), "more than are listed here");
}

}  // namespace
}  // namespace cursorwire::upstream
