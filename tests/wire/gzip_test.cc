#include "wire/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/errors.h"
#include "support/heap_bytes.h"
#include "support/hex.h"
#include "support/sizes.h"
#include "support/status_matchers.h"

namespace cursorwire::wire {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using test::FromHex;
using test::HasOrigin;
using test::IsOk;
using test::IsOkAndHolds;
using test::kMiB;
using test::PeakHeapBytes;
using test::ResetPeakHeapBytes;
using test::StatusIs;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr size_t kNoLimit = 64 * kMiB;
constexpr size_t kTrailerBytes = 8;  // RFC 1952, 2.3: CRC-32 and length, both little-endian

// Bytes without a pattern that gzip finds.
std::string Noise(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

std::string Repeat(std::string_view text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

// Made by Python's gzip.compress(..., mtime=0) and, where it says so, by hand.
struct GoldenCase {
  const char* name;
  const char* hex;
  std::string_view content;
} const kGoldens[] = {
    {"no bytes", "1f8b0800000000000203 0300 00000000 00000000", ""},
    {"a repetition", "1f8b0800000000000203 cb48cdc9c9d751c840a200 9fa1ca09 13000000",
     "hello, hello, hello"},
    {"stored, not compressed", "1f8b0800000000000403 010300fcff616263 c2412435 03000000", "abc"},
    {"with a time and the name of a file",
     "1f8b080800f1536502ff 6e616d652e74787400 cb4bcc4d4d0100 87cce071 05000000", "named"},
    {"with all optional fields, by hand",
     "1f8b081f000000000003 0400 61620000 6e00 636f6d6d656e7400 b28d 4bcb4ccd492906 00 88e3e57e "
     "06000000",
     "fields"},
    {"two members",
     "1f8b0800000000000203 cbcf4b550000 4961ac23 04000000"
     "1f8b0800000000000203 2b29cf0700 668aca11 03000000",
     "one two"},
    {"members without content around another",
     "1f8b0800000000000203 0300 00000000 00000000"
     "1f8b0800000000000203 ab0000 8316dc8c 01000000"
     "1f8b0800000000000203 0300 00000000 00000000",
     "x"},
};

TEST(Gunzip, ReadsTheGoldens) {
  for (const GoldenCase& c : kGoldens) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(Gunzip(FromHex(c.hex), kNoLimit), IsOkAndHolds(c.content));
  }
}

TEST(Gzip, WritesOneMemberWithChecksumAndLength) {
  const std::string bytes = Gzip("123456789");
  EXPECT_EQ(bytes.substr(0, 3), FromHex("1f8b08"));
  // The check value that is published for CRC-32.
  EXPECT_EQ(bytes.substr(bytes.size() - kTrailerBytes), FromHex("2639f4cb 09000000"));
}

TEST(Gzip, ComesBackFromGunzip) {
  const struct {
    const char* name;
    std::string content;
  } kCases[] = {
      {"nothing", ""},
      {"a zero byte", std::string(1, '\0')},
      {"text", "the quick brown fox"},
      {"one step less a byte", Noise(64 * 1024 - 1)},
      {"one step", Noise(64 * 1024)},
      {"one step and a byte", Noise(64 * 1024 + 1)},
      {"a mebibyte of noise", Noise(kMiB)},
      {"a mebibyte of zeros", std::string(kMiB, '\0')},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<std::string> content = Gunzip(Gzip(c.content), c.content.size());
    ASSERT_THAT(content, IsOk());
    EXPECT_TRUE(*content == c.content);  // no EXPECT_EQ: it would print a mebibyte
  }
}

TEST(Gzip, MakesRepetitionsSmallAndNoiseLittleLarger) {
  EXPECT_LT(Gzip(std::string(kMiB, '\0')).size(), 2000u);
  EXPECT_LT(Gzip(Noise(kMiB)).size(), kMiB + 500);
}

TEST(Gunzip, RefusesEveryTruncation) {
  for (const GoldenCase& c : kGoldens) {
    SCOPED_TRACE(c.name);
    const std::string whole = FromHex(c.hex);
    for (size_t size = 0; size < whole.size(); ++size) {
      SCOPED_TRACE(size);
      const absl::StatusOr<std::string> content =
          Gunzip(std::string_view(whole).substr(0, size), kNoLimit);
      if (content.ok()) {
        // Members before the one that was cut off are a whole by themselves.
        EXPECT_EQ(whole.substr(size, 3), FromHex("1f8b08"));
        EXPECT_TRUE(c.content.starts_with(*content)) << *content;
        continue;
      }
      EXPECT_THAT(content, StatusIs(StatusCode::kInternal, HasSubstr("cut short")));
      EXPECT_THAT(content, HasOrigin(ErrorOrigin::kProtocol));
    }
  }
}

TEST(Gunzip, RefusesWhatIsNoGzip) {
  const struct {
    const char* name;
    std::string bytes;
  } kCases[] = {
      {"text", "hello"},
      {"zero bytes", std::string(100, '\0')},
      {"zlib", FromHex("789ccb48cdc9c90700062c0215")},
      {"deflate without a header", FromHex("cb48cdc9c90700")},
      {"another method", FromHex("1f8b0700000000000203 0300 00000000 00000000")},
      {"reserved flags", FromHex("1f8b08e0000000000203 0300 00000000 00000000")},
      {"a reserved kind of block", FromHex("1f8b0800000000000203 07 00 00000000 00000000")},
      {"a stored block whose length is not its own complement",
       FromHex("1f8b0800000000000403 01 0300 fcfe 616263 c2412435 03000000")},
      {"a wrong checksum", FromHex("1f8b0800000000000403 010300fcff616263 c2412436 03000000")},
      {"a wrong length", FromHex("1f8b0800000000000403 010300fcff616263 c2412435 04000000")},
      {"a wrong checksum of the header",
       FromHex("1f8b0802000000000203 0000 0300 00000000 00000000")},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<std::string> content = Gunzip(c.bytes, kNoLimit);
    EXPECT_THAT(content, StatusIs(StatusCode::kInternal, HasSubstr("broken")));
    EXPECT_THAT(content, HasOrigin(ErrorOrigin::kProtocol));
  }
}

TEST(Gunzip, RefusesBytesBehindAMember) {
  const std::string member = Gzip("content");
  for (const std::string& behind :
       {std::string(1, '\0'), std::string("x"), FromHex("1f"), FromHex("1f8b08"),
        std::string(1000, '\0'), std::string("trailing text"), member.substr(1)}) {
    SCOPED_TRACE(behind);
    EXPECT_THAT(Gunzip(member + behind, kNoLimit), StatusIs(StatusCode::kInternal));
  }
}

TEST(Gunzip, NeverGivesOtherContentForAFlippedBit) {
  for (const GoldenCase& c : kGoldens) {
    SCOPED_TRACE(c.name);
    const std::string whole = FromHex(c.hex);
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
      std::string flipped = whole;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      const absl::StatusOr<std::string> content = Gunzip(flipped, 1000);
      // Bits of the time, the system and the like say nothing about the content.
      if (content.ok()) {
        EXPECT_EQ(*content, c.content) << "bit " << bit;
      } else {
        EXPECT_THAT(content, AnyOf(StatusIs(StatusCode::kInternal),
                                   StatusIs(StatusCode::kResourceExhausted)));
      }
    }
  }
}

TEST(Gunzip, TakesExactlyTheLimitAndNoByteMore) {
  const size_t kSizes[] = {0, 1, 1000, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, kMiB};
  for (const size_t size : kSizes) {
    SCOPED_TRACE(size);
    const std::string one = Gzip(std::string(size, 'x'));
    EXPECT_THAT(Gunzip(one, size), IsOk());
    EXPECT_THAT(Gunzip(one + one, 2 * size), IsOk());
    const std::string more = Gzip(std::string(size + 1, 'x'));
    for (const std::string& bytes : {more, one + Gzip("y"), more.substr(0, more.size() - 1)}) {
      const absl::StatusOr<std::string> content = Gunzip(bytes, size);
      EXPECT_THAT(content,
                  StatusIs(StatusCode::kResourceExhausted, HasSubstr(std::to_string(size))));
      EXPECT_THAT(content, HasOrigin(ErrorOrigin::kProtocol));
    }
  }
}

// The limit holds while it inflates: not the content is stored and then measured.
TEST(Gunzip, StoresNoMoreOfABombThanTheLimit) {
  const std::string member = Gzip(std::string(16 * kMiB, '\0'));
  const struct {
    const char* name;
    std::string bytes;
  } kCases[] = {
      {"16 MiB in one member", member},
      {"1 GiB in 64 members", Repeat(member, 64)},
      {"100000 members without content, and one", Repeat(Gzip(""), 100000) + member},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    for (const size_t limit : {size_t{0}, size_t{1000}, kMiB}) {
      SCOPED_TRACE(limit);
      const size_t before = ResetPeakHeapBytes();
      EXPECT_THAT(Gunzip(c.bytes, limit), StatusIs(StatusCode::kResourceExhausted));
      // A string that grows is there twice while it is copied.
      EXPECT_LE(PeakHeapBytes(), before + 3 * limit + 1000);
    }
  }
}

TEST(Gunzip, UnfoldsWhatTheLimitAllowsOfMuch) {
  const std::string bomb = Repeat(Gzip(std::string(kMiB, '\0')), 32);
  EXPECT_LT(bomb.size(), 64u * 1024);
  const absl::StatusOr<std::string> content = Gunzip(bomb, 32 * kMiB);
  ASSERT_THAT(content, IsOk());
  EXPECT_EQ(content->size(), 32 * kMiB);
  EXPECT_TRUE(std::all_of(content->begin(), content->end(), [](char c) { return c == '\0'; }));
}

// Made by Python's zlib.compressobj(wbits=-15).
TEST(Inflate, ReadsTheGoldens) {
  EXPECT_THAT(Inflate(FromHex("cb48cdc9c9d751c840a200"), kNoLimit),
              IsOkAndHolds("hello, hello, hello"));
  EXPECT_THAT(Inflate(FromHex("0300"), kNoLimit), IsOkAndHolds(""));
  EXPECT_THAT(Inflate(FromHex("010300fcff616263"), kNoLimit), IsOkAndHolds("abc"));
}

TEST(Inflate, TakesWhatDeflateMade) {
  for (const std::string& content :
       {std::string(), std::string("x"), Noise(300000), Repeat("ab", 100000)}) {
    const std::string bytes = Deflate(content);
    EXPECT_THAT(Inflate(bytes, content.size()), IsOkAndHolds(content));
    if (content.empty()) continue;
    EXPECT_THAT(Inflate(bytes, content.size() - 1), StatusIs(StatusCode::kResourceExhausted));
  }
}

TEST(Inflate, RefusesWhatIsCutOrFollowed) {
  const std::string bytes = Deflate("hello, hello, hello");
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(Inflate(bytes.substr(0, size), kNoLimit),
                StatusIs(StatusCode::kInternal, HasSubstr("deflate: ")))
        << size;
  }
  EXPECT_THAT(Inflate(bytes + "x", kNoLimit),
              StatusIs(StatusCode::kInternal, HasSubstr("bytes follow the data")));
  EXPECT_THAT(Inflate(Gzip("hello"), kNoLimit), StatusIs(StatusCode::kInternal));
}

}  // namespace
}  // namespace cursorwire::wire
