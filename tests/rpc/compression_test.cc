#include "rpc/compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/errors.h"
#include "support/hex.h"
#include "support/status_matchers.h"
#include "wire/gzip.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::CallOptions;
using connect::Compression;
using connect::ErrorOrigin;
using connect::Headers;
using test::FromHex;
using test::HasOrigin;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CompressionName, IsThatOfTheProtocol) {
  EXPECT_EQ(CompressionName(Compression::kIdentity), "identity");
  EXPECT_EQ(CompressionName(Compression::kGzip), "gzip");
}

TEST(ShouldCompress, TakesMessagesFromTheLeastSizeOn) {
  const struct {
    const char* name;
    CallOptions options;
    size_t size;
    bool expected;
  } kCases[] = {
      {"none by default", {}, 1'000'000, false},
      {"gzip, a byte less than the default", {.send_compression = Compression::kGzip}, 1023, false},
      {"gzip, the default", {.send_compression = Compression::kGzip}, 1024, true},
      {"no least size", {.send_compression = Compression::kGzip, .compress_min_bytes = 0}, 0, true},
      {"one byte, empty message",
       {.send_compression = Compression::kGzip, .compress_min_bytes = 1},
       0,
       false},
      {"one byte", {.send_compression = Compression::kGzip, .compress_min_bytes = 1}, 1, true},
      {"a least size without a compression", {.compress_min_bytes = 0}, 10, false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ShouldCompress(c.size, c.options), c.expected);
  }
}

TEST(ResponseCompression, TakesWhatWasOffered) {
  const struct {
    const char* name;
    Headers headers;
    Compression accepted;
    Compression expected;
  } kCases[] = {
      {"no header", {}, Compression::kGzip, Compression::kIdentity},
      {"empty", {{"content-encoding", ""}}, Compression::kGzip, Compression::kIdentity},
      {"identity", {{"content-encoding", "identity"}}, Compression::kGzip, Compression::kIdentity},
      {"identity, and nothing offered",
       {{"content-encoding", "identity"}},
       Compression::kIdentity,
       Compression::kIdentity},
      {"gzip", {{"content-encoding", "gzip"}}, Compression::kGzip, Compression::kGzip},
      {"case and spaces",
       {{"content-encoding", " GZip\t"}},
       Compression::kGzip,
       Compression::kGzip},
      {"another header",
       {{"connect-content-encoding", "foo"}},
       Compression::kIdentity,
       Compression::kIdentity},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ResponseCompression(c.headers, kUnaryEncoding, c.accepted),
                IsOkAndHolds(c.expected));
  }
  EXPECT_THAT(ResponseCompression({{"connect-content-encoding", "gzip"}}, kStreamingEncoding,
                                  Compression::kGzip),
              IsOkAndHolds(Compression::kGzip));
}

TEST(ResponseCompression, RefusesWhatWasNot) {
  const struct {
    const char* name;
    const char* encoding;
    Compression accepted;
  } kCases[] = {
      {"gzip, and nothing offered", "gzip", Compression::kIdentity},
      {"another", "br", Compression::kGzip},
      {"two", "gzip, br", Compression::kGzip},
      {"gzip twice", "gzip, gzip", Compression::kGzip},
      {"with a parameter", "gzip;q=1", Compression::kGzip},
      {"the name in another", "xgzip", Compression::kGzip},
      {"any", "*", Compression::kGzip},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<Compression> compression =
        ResponseCompression({{"content-encoding", c.encoding}}, kUnaryEncoding, c.accepted);
    EXPECT_THAT(compression, StatusIs(StatusCode::kInternal, HasSubstr(c.encoding)));
    EXPECT_THAT(compression, HasOrigin(ErrorOrigin::kProtocol));
  }
}

TEST(ResponseCompression, QuotesHostileTextInBoundsAndPrintable) {
  const absl::StatusOr<Compression> compression =
      ResponseCompression({{"content-encoding", "\x1b[31m" + std::string(100000, 'x')}},
                          kUnaryEncoding, Compression::kGzip);
  EXPECT_THAT(compression, StatusIs(StatusCode::kInternal, Not(HasSubstr("\x1b"))));
  EXPECT_LT(compression.status().message().size(), 1000u);
}

TEST(CompressionSlack, HoldsWhatNoiseGrowsBy) {
  std::string noise;
  uint32_t state = 1;
  for (const size_t size : {0u, 1u, 100u, 16'384u, 16'385u, 1'000'000u}) {
    SCOPED_TRACE(size);
    while (noise.size() < size) {
      state = state * 1664525 + 1013904223;
      noise += static_cast<char>(state >> 24);
    }
    EXPECT_LE(wire::Gzip(noise).size(), size + CompressionSlack(size));
  }
}

TEST(Decompress, TakesNoBytesForNoBytes) {
  EXPECT_THAT(Decompress("", 0), IsOkAndHolds(""));
  EXPECT_THAT(Decompress(FromHex("1f8b0800000000000203 0300 00000000 00000000"), 0),
              IsOkAndHolds(""));
}

TEST(Decompress, RefusesWhatIsBrokenOrTooLarge) {
  const std::string bytes = FromHex("1f8b0800000000000403 010300fcff616263 c2412435 03000000");
  EXPECT_THAT(Decompress(bytes, 3), IsOkAndHolds("abc"));
  EXPECT_THAT(Decompress(bytes, 2), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(Decompress("abc", 3), StatusIs(StatusCode::kInternal));
}

}  // namespace
}  // namespace cursorwire::rpc
