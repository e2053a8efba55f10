#include "cursorwire/connect/headers.h"

#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire::connect {
namespace {

using test::IsOkAndHolds;
using test::StatusIs;

// RFC 4648, 10, and bytes that need both characters that are no letters or digits.
const struct {
  std::string bytes;
  const char* value;
  const char* padded;
} kValues[] = {
    {"", "", ""},
    {"f", "Zg", "Zg=="},
    {"fo", "Zm8", "Zm8="},
    {"foo", "Zm9v", "Zm9v"},
    {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
    {std::string("\0\xfb\xff", 3), "APv/", "APv/"},
    {"\xfb\xef\xbe", "++++", "++++"},
};

TEST(BinaryHeader, IsBase64WithoutPadding) {
  for (const auto& c : kValues) {
    SCOPED_TRACE(c.value);
    EXPECT_EQ(EncodeBinaryHeader(c.bytes), c.value);
    EXPECT_THAT(DecodeBinaryHeader(c.value), IsOkAndHolds(c.bytes));
    EXPECT_THAT(DecodeBinaryHeader(c.padded), IsOkAndHolds(c.bytes));
  }
}

TEST(BinaryHeader, RefusesWhatIsNoBase64) {
  for (const char* value : {"Z", "Zg=", "Zg===", "Z!", "Zg,Zg", "-_-_", "=", "Zm9v="}) {
    SCOPED_TRACE(value);
    EXPECT_THAT(DecodeBinaryHeader(value), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace cursorwire::connect
