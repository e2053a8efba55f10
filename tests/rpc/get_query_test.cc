#include "rpc/get_query.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/hex.h"

namespace cursorwire::rpc {
namespace {

using connect::Codec;
using connect::Compression;

// Base64 and percent-encoding by Python's base64.urlsafe_b64encode() and urllib.parse.quote().
TEST(GetQuery, FollowsTheProtocol) {
  const struct {
    const char* name;
    std::string message;
    Codec codec;
    Compression compression;
    const char* query;
  } kCases[] = {
      {"no bytes", "", Codec::kProto, Compression::kIdentity,
       "?connect=v1&base64=1&encoding=proto&message="},
      {"proto",
       std::string("\x0a\x03"
                   "abc"),
       Codec::kProto, Compression::kIdentity,
       "?connect=v1&base64=1&encoding=proto&message=CgNhYmM"},
      {"the characters of base64 that URLs need otherwise", test::FromHex("fbefbeffff3e"),
       Codec::kProto, Compression::kIdentity,
       "?connect=v1&base64=1&encoding=proto&message=----__8-"},
      {"json", R"({"a":"b c/ä+&=?#%"})", Codec::kJson, Compression::kIdentity,
       "?connect=v1&encoding=json&message="
       "%7B%22a%22%3A%22b%20c%2F%C3%A4%2B%26%3D%3F%23%25%22%7D"},
      {"what URLs allow", "azAZ09-._~", Codec::kJson, Compression::kIdentity,
       "?connect=v1&encoding=json&message=azAZ09-._~"},
      {"empty json", "", Codec::kJson, Compression::kIdentity,
       "?connect=v1&encoding=json&message="},
      {"control characters", std::string("\0\n\x7f", 3), Codec::kJson, Compression::kIdentity,
       "?connect=v1&encoding=json&message=%00%0A%7F"},
      {"proto, compressed", "\x1f\x8b", Codec::kProto, Compression::kGzip,
       "?connect=v1&base64=1&compression=gzip&encoding=proto&message=H4s"},
      {"json, compressed, is text no more", "\x1f\x8b", Codec::kJson, Compression::kGzip,
       "?connect=v1&base64=1&compression=gzip&encoding=json&message=H4s"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(GetQuery(c.message, c.codec, c.compression), c.query);
  }
}

TEST(GetQuery, HasOnlyCharactersOfAUrlForAnyByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const Codec codec : {Codec::kProto, Codec::kJson}) {
    for (const Compression compression : {Compression::kIdentity, Compression::kGzip}) {
      const std::string query = GetQuery(all, codec, compression);
      EXPECT_EQ(query.find_first_not_of("?&=%-._~0123456789abcdefghijklmnopqrstuvwxyz"
                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                std::string::npos)
          << query;
    }
  }
}

}  // namespace
}  // namespace cursorwire::rpc
