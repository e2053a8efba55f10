#include "wire/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "support/for_each_split.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::wire {
namespace {

using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::ForEachSplit;
using test::FromHex;
using test::Golden;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;

using Pieces = std::vector<std::string_view>;

struct Decoded {
  std::vector<std::pair<int, std::string>> envelopes;  // flags and payload
  std::vector<size_t> credits;                         // of the views
  std::vector<size_t> completed;                       // what each Feed() returned
  absl::Status error;                                  // of Next()
  absl::Status finish;

  size_t credit() const {
    size_t sum = 0;
    for (size_t credit : credits) sum += credit;
    return sum;
  }
};

// Returns the bytes of the envelopes that it took.
size_t Drain(EnvelopeDecoder& decoder, Decoded& decoded) {
  size_t taken = 0;
  for (;;) {
    // Every second time by the shorter way, where it is open.
    const std::optional<EnvelopeView> plain =
        decoded.credits.size() % 2 == 0 ? decoder.NextPlain() : std::nullopt;
    if (plain) {
      decoded.envelopes.emplace_back(plain->flags, plain->payload);
      decoded.credits.push_back(plain->credit);
      taken += plain->credit;
      continue;
    }
    const absl::StatusOr<std::optional<EnvelopeView>> view = decoder.Next();
    if (!view.ok()) {
      decoded.error = view.status();
      return taken;
    }
    if (!view->has_value()) return taken;
    decoded.envelopes.emplace_back((*view)->flags, (*view)->payload);
    decoded.credits.push_back((*view)->credit);
    EXPECT_EQ((*view)->credit, kEnvelopePrefixBytes + (*view)->payload.size());
    taken += (*view)->credit;
  }
}

// What a Feed() says that it completed must wait for Next(), and nothing else.
Decoded DecodeAll(const Pieces& pieces, size_t limit = kDefaultMaxMessageBytes) {
  EnvelopeDecoder decoder(limit);
  Decoded decoded;
  size_t fed = 0;
  for (std::string_view piece : pieces) {
    fed += piece.size();
    decoded.completed.push_back(decoder.Feed(piece));
    EXPECT_EQ(Drain(decoder, decoded), decoded.completed.back());
  }
  EXPECT_LE(decoded.credit(), fed);
  decoded.finish = decoder.Finish();
  return decoded;
}

std::string Encode(uint8_t flags, std::string_view payload) {
  std::string bytes;
  EXPECT_THAT(AppendEnvelope(flags, payload, bytes), IsOk());
  return bytes;
}

TEST(AppendEnvelope, MatchesTheGoldens) {
  EXPECT_EQ(Encode(0, FromHex("3A 00")), Golden("client_heartbeat.hex"));
  EXPECT_EQ(Encode(kEnvelopeEndStream, "{}"), Golden("end_stream_ok.hex"));
}

TEST(AppendEnvelope, WritesTheLengthBigEndian) {
  const std::string payload(0x012345, 'x');
  EXPECT_EQ(Encode(kEnvelopeCompressed, payload), FromHex("01 00 01 23 45") + payload);
}

TEST(AppendEnvelope, AppendsBehindWhatIsThere) {
  std::string bytes = "before";
  EXPECT_THAT(AppendEnvelope(0x83, "", bytes), IsOk());
  EXPECT_EQ(bytes, "before" + FromHex("83 00 00 00 00"));
}

TEST(EnvelopeDecoder, ReadsTheGoldensAtEverySplit) {
  const std::string body = Golden("client_heartbeat.hex") + Golden("end_stream_ok.hex");
  ForEachSplit(body, [&](const Pieces& pieces) {
    const Decoded decoded = DecodeAll(pieces);
    EXPECT_THAT(decoded.envelopes,
                ElementsAre(Pair(0, FromHex("3A 00")), Pair(kEnvelopeEndStream, "{}")));
    EXPECT_THAT(decoded.error, IsOk());
    EXPECT_THAT(decoded.finish, IsOk());
  });
}

TEST(EnvelopeDecoder, PassesAllFlagBitsOn) {
  EXPECT_THAT(DecodeAll({FromHex("FF 00 00 00 01 41  80 00 00 00 00")}).envelopes,
              ElementsAre(Pair(0xFF, "A"), Pair(0x80, "")));
}

TEST(EnvelopeDecoder, ReadsZeroLengthEnvelopesAtEverySplit) {
  ForEachSplit(FromHex("00 00000000  01 00000000  02 00000000"), [](const Pieces& pieces) {
    const Decoded decoded = DecodeAll(pieces, 0);
    EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(0, ""), Pair(1, ""), Pair(2, "")));
    EXPECT_THAT(decoded.finish, IsOk());
    EXPECT_EQ(decoded.credit(), 15u);
  });
}

TEST(EnvelopeDecoder, GivesNothingAndEndsWellWithoutBytes) {
  const Decoded decoded = DecodeAll({"", ""});
  EXPECT_THAT(decoded.envelopes, IsEmpty());
  EXPECT_THAT(decoded.finish, IsOk());
  EXPECT_THAT(decoded.completed, ElementsAre(0u, 0u));
}

TEST(EnvelopeDecoder, AcceptsAMessageOfExactlyTheLimit) {
  ForEachSplit(Encode(0, "abcd"), [](const Pieces& pieces) {
    const Decoded decoded = DecodeAll(pieces, 4);
    EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(0, "abcd")));
    EXPECT_THAT(decoded.error, IsOk());
    EXPECT_THAT(decoded.finish, IsOk());
  });
}

TEST(EnvelopeDecoder, RefusesOversizeOnThePrefixBeforeAnyPayload) {
  ForEachSplit(FromHex("00 00 00 00 05"), [](const Pieces& pieces) {
    const Decoded decoded = DecodeAll(pieces, 4);
    EXPECT_THAT(decoded.envelopes, IsEmpty());
    EXPECT_THAT(decoded.error, StatusIs(absl::StatusCode::kResourceExhausted,
                                        AllOf(HasSubstr("5 bytes"), HasSubstr("4 bytes"))));
    EXPECT_THAT(connect::GetErrorInfo(decoded.error),
                Optional(ErrorInfo{.origin = ErrorOrigin::kProtocol}));
    EXPECT_EQ(decoded.finish, decoded.error);
    EXPECT_THAT(decoded.completed, Each(Eq(0u)));
  });
}

TEST(EnvelopeDecoder, AllowsCompressedPayloadsTheSlack) {
  constexpr size_t kLimit = 10;
  constexpr size_t kSlack = 3;
  const struct {
    const char* name;
    uint8_t flags;
    size_t length;
    bool taken;
  } kCases[] = {
      {"plain, the limit", 0, kLimit, true},
      {"plain, one more", 0, kLimit + 1, false},
      {"end-stream, one more", kEnvelopeEndStream, kLimit + 1, false},
      {"compressed, with the slack", kEnvelopeCompressed, kLimit + kSlack, true},
      {"compressed, one more", kEnvelopeCompressed, kLimit + kSlack + 1, false},
      {"compressed end-stream, with the slack", kEnvelopeCompressed | kEnvelopeEndStream,
       kLimit + kSlack, true},
      {"compressed end-stream, one more", kEnvelopeCompressed | kEnvelopeEndStream,
       kLimit + kSlack + 1, false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ForEachSplit(Encode(c.flags, std::string(c.length, 'x')), [&](const Pieces& pieces) {
      EnvelopeDecoder decoder(kLimit, kSlack);
      Decoded decoded;
      for (const std::string_view piece : pieces) {
        decoder.Feed(piece);
        Drain(decoder, decoded);
      }
      EXPECT_EQ(decoded.envelopes.size(), c.taken ? 1u : 0u);
      EXPECT_EQ(decoded.error.ok(), c.taken);
    });
  }
}

TEST(EnvelopeDecoder, TakesTheLargestLimitAndSlackTogether) {
  constexpr size_t kMost = std::numeric_limits<size_t>::max();
  EnvelopeDecoder decoder(kMost, kMost);
  Decoded decoded;
  decoder.Feed(Encode(kEnvelopeCompressed, "abc"));
  Drain(decoder, decoded);
  EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(int{kEnvelopeCompressed}, "abc")));
}

TEST(EnvelopeDecoder, RefusesTheLargestLengthUnderTheDefaultLimit) {
  EXPECT_THAT(DecodeAll({FromHex("00 FF FF FF FF")}).error,
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("4294967295 bytes")));
}

TEST(EnvelopeDecoder, KeepsNoPayloadOfARefusedMessage) {
  EnvelopeDecoder decoder(4);
  EXPECT_EQ(decoder.Feed(FromHex("00 00 00 00 05")), 0u);
  const size_t behind_prefix = decoder.buffered_bytes();
  EXPECT_LE(behind_prefix, kEnvelopePrefixBytes);
  EXPECT_EQ(decoder.Feed(std::string(100000, 'x')), 0u);
  EXPECT_EQ(decoder.buffered_bytes(), behind_prefix);

  EnvelopeDecoder at_once(4);
  EXPECT_EQ(at_once.Feed(FromHex("00 00 00 00 05") + std::string(100000, 'x')), 0u);
  EXPECT_LE(at_once.buffered_bytes(), kEnvelopePrefixBytes);
}

TEST(EnvelopeDecoder, GivesTheEnvelopesBeforeARefusedOne) {
  ForEachSplit(Encode(0, "ab") + Encode(2, "c") + FromHex("00 00 00 00 05 78 78"),
               [](const Pieces& pieces) {
                 const Decoded decoded = DecodeAll(pieces, 4);
                 EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(0, "ab"), Pair(2, "c")));
                 EXPECT_THAT(decoded.error, StatusIs(absl::StatusCode::kResourceExhausted));
                 EXPECT_EQ(decoded.credit(), 7u + 6u);
               });
}

TEST(EnvelopeDecoder, CountsNoEnvelopeBehindARefusedOne) {
  ForEachSplit(Encode(0, "ab") + Encode(0, "abcde") + Encode(0, "c") + Encode(2, ""),
               [](const Pieces& pieces) {
                 const Decoded decoded = DecodeAll(pieces, 4);
                 EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(0, "ab")));
                 EXPECT_EQ(decoded.credit(), 7u);
               });
  // Neither when nothing is taken until all was fed.
  EnvelopeDecoder decoder(4);
  EXPECT_EQ(decoder.Feed(Encode(0, "ab") + Encode(0, "abcde") + Encode(0, "c")), 7u);
  EXPECT_EQ(decoder.Feed(Encode(0, "d")), 0u);
  Decoded decoded;
  EXPECT_EQ(Drain(decoder, decoded), 7u);
  EXPECT_THAT(decoded.error, StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(EnvelopeDecoder, StaysFailed) {
  EnvelopeDecoder decoder(4);
  decoder.Feed(FromHex("00 00 00 00 05"));
  const absl::Status error = decoder.Next().status();
  ASSERT_THAT(error, StatusIs(absl::StatusCode::kResourceExhausted));
  // A good envelope after it changes nothing, and is not kept.
  EXPECT_EQ(decoder.Feed(Encode(0, "ab")), 0u);
  EXPECT_EQ(decoder.Next().status(), error);
  EXPECT_EQ(decoder.Next().status(), error);
  EXPECT_EQ(decoder.Finish(), error);
}

TEST(EnvelopeDecoder, RefusesABodyCutAnywhereInsideAnEnvelope) {
  const std::string envelope = Encode(0, "abc");
  for (size_t size = 1; size < envelope.size(); ++size) {
    SCOPED_TRACE("cut to " + std::to_string(size) + " bytes");
    ForEachSplit(envelope.substr(0, size), [&](const Pieces& pieces) {
      const Decoded decoded = DecodeAll(pieces);
      EXPECT_THAT(decoded.envelopes, IsEmpty());
      EXPECT_THAT(decoded.error, IsOk());
      const std::string expected = size < 5 ? "body ended after " + std::to_string(size) +
                                                  " of the 5 bytes of an envelope's prefix"
                                            : "body ended after " + std::to_string(size - 5) +
                                                  " of the 3 bytes of an envelope's payload";
      EXPECT_THAT(decoded.finish, StatusIs(absl::StatusCode::kInternal, expected));
      EXPECT_THAT(connect::GetErrorInfo(decoded.finish),
                  Optional(ErrorInfo{.origin = ErrorOrigin::kProtocol}));
      EXPECT_THAT(decoded.completed, Each(Eq(0u)));
    });
  }
}

TEST(EnvelopeDecoder, NamesTheCutBehindAWholeEnvelope) {
  const Decoded decoded = DecodeAll({Encode(0, "ab") + FromHex("00 00")});
  EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(0, "ab")));
  EXPECT_THAT(decoded.completed, ElementsAre(7u));
  EXPECT_THAT(decoded.finish, StatusIs(absl::StatusCode::kInternal, HasSubstr("after 2 of the 5")));
}

TEST(EnvelopeDecoder, CountsEachEnvelopeWholeAndOnceWhenItsLastByteArrives) {
  const Pieces payloads = {"ab", "", "xxxxxxxxxxxxxxxxxxxx", "{}"};
  std::string body;
  std::vector<std::pair<size_t, size_t>> ends;  // where an envelope ends, and its size
  uint8_t flags = 0;
  for (std::string_view payload : payloads) {
    body += Encode(flags++, payload);
    ends.emplace_back(body.size(), kEnvelopePrefixBytes + payload.size());
  }
  const auto expect_counts = [&](const Pieces& pieces) {
    std::vector<size_t> expected;
    size_t at = 0;
    for (std::string_view piece : pieces) {
      size_t completed = 0;
      for (const auto& [end, size] : ends) {
        if (at < end && end <= at + piece.size()) completed += size;
      }
      expected.push_back(completed);
      at += piece.size();
    }
    const Decoded decoded = DecodeAll(pieces);
    EXPECT_EQ(decoded.completed, expected);
    EXPECT_THAT(decoded.credits, ElementsAre(7u, 5u, 25u, 7u));
    EXPECT_EQ(decoded.credit(), body.size());
  };
  ForEachSplit(body, expect_counts);
  // In three parts too, so that envelopes end and begin inside one piece.
  for (size_t first = 0; first <= body.size(); ++first) {
    for (size_t second = first; second <= body.size(); ++second) {
      const std::string_view view = body;
      SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(second));
      expect_counts(
          {view.substr(0, first), view.substr(first, second - first), view.substr(second)});
    }
  }
}

TEST(EnvelopeDecoder, CountsAllEnvelopesThatCameAtOnce) {
  const Decoded decoded = DecodeAll({Encode(0, "abc") + Encode(0, "") + Encode(2, "{}")});
  EXPECT_THAT(decoded.completed, ElementsAre(8u + 5u + 7u));
  EXPECT_THAT(decoded.credits, ElementsAre(8u, 5u, 7u));
}

TEST(EnvelopeDecoder, CountsNothingOfALongMessageUntilItIsComplete) {
  const std::string body = Encode(0, std::string(1000, 'x'));
  const std::string_view view = body;
  EnvelopeDecoder decoder;
  EXPECT_EQ(decoder.Feed(view.substr(0, 3)), 0u);
  EXPECT_EQ(decoder.Feed(view.substr(3, 7)), 0u);
  EXPECT_EQ(decoder.Feed(view.substr(10, 500)), 0u);
  EXPECT_THAT(decoder.Next(), IsOkAndHolds(Eq(std::nullopt)));
  // The last piece completes it, and brings the start of the next.
  EXPECT_EQ(decoder.Feed(body.substr(510) + FromHex("00 00")), 1005u);
  const absl::StatusOr<std::optional<EnvelopeView>> next = decoder.Next();
  ASSERT_THAT(next, IsOk());
  ASSERT_TRUE(next->has_value());
  EXPECT_EQ((*next)->payload, view.substr(5));
  EXPECT_EQ((*next)->credit, 1005u);
  // The start of the next counts with its rest.
  EXPECT_EQ(decoder.Feed(FromHex("00 00 01")), 0u);
  EXPECT_EQ(decoder.Feed("y"), 6u);
}

TEST(EnvelopeDecoder, CountsBufferedBytesWithoutTheEnvelopeThatWasTaken) {
  EnvelopeDecoder decoder;
  EXPECT_EQ(decoder.Feed(Encode(0, "abc") + Encode(0, "d") + FromHex("00 00")), 8u + 6u);
  EXPECT_EQ(decoder.buffered_bytes(), 8u + 6u + 2u);
  ASSERT_THAT(decoder.Next(), IsOk());
  EXPECT_EQ(decoder.buffered_bytes(), 6u + 2u);
  ASSERT_THAT(decoder.Next(), IsOk());
  EXPECT_EQ(decoder.buffered_bytes(), 2u);
  EXPECT_THAT(decoder.Next(), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_EQ(decoder.buffered_bytes(), 2u);
}

TEST(EnvelopeDecoder, GivesEnvelopesOfSeveralFeedsInOrder) {
  EnvelopeDecoder decoder;
  EXPECT_EQ(decoder.Feed(Encode(0, "a") + Encode(0, "b")), 12u);
  Decoded decoded;
  const absl::StatusOr<std::optional<EnvelopeView>> first = decoder.Next();
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ((*first)->payload, "a");
  // Fed while an envelope is still waiting and another was just taken: only the new one counts.
  EXPECT_EQ(decoder.Feed(Encode(0, "c")), 6u);
  EXPECT_EQ(Drain(decoder, decoded), 12u);
  EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(0, "b"), Pair(0, "c")));
}

TEST(EnvelopeDecoder, ReadsALargeMessageInSmallPieces) {
  constexpr size_t kSize = 8 * 1024 * 1024;
  constexpr size_t kPiece = 64;
  std::string payload(kSize, '\0');
  for (size_t i = 0; i < kSize; ++i) payload[i] = static_cast<char>(i * 31 >> 3);
  const std::string body = Encode(0, payload);
  EnvelopeDecoder decoder;
  Decoded decoded;
  size_t fed = 0;
  for (std::string_view rest = body; !rest.empty();) {
    const std::string_view piece = rest.substr(0, kPiece);
    rest.remove_prefix(piece.size());
    fed += piece.size();
    const size_t completed = decoder.Feed(piece);
    ASSERT_EQ(completed, rest.empty() ? body.size() : 0u);
    if (!rest.empty()) {
      ASSERT_EQ(decoder.buffered_bytes(), fed);
    }
    Drain(decoder, decoded);
  }
  ASSERT_EQ(decoded.envelopes.size(), 1u);
  EXPECT_TRUE(decoded.envelopes[0].second == payload);  // no EXPECT_EQ: it would print 8 MiB
  EXPECT_EQ(decoded.credits[0], body.size());
  EXPECT_THAT(decoder.Finish(), IsOk());
}

TEST(EnvelopeDecoder, ReadsManySmallMessagesFedAtOnce) {
  constexpr size_t kCount = 200000;
  std::string body;
  for (size_t i = 0; i < kCount; ++i) ASSERT_THAT(AppendEnvelope(0, "xyz", body), IsOk());
  const Decoded decoded = DecodeAll({body});
  EXPECT_EQ(decoded.envelopes.size(), kCount);
  EXPECT_THAT(decoded.credits, Each(Eq(8u)));
  EXPECT_THAT(decoded.completed, ElementsAre(kCount * 8));
}

TEST(EnvelopeDecoder, GivesEnvelopesWithoutFlagsByTheShorterWay) {
  EnvelopeDecoder decoder(8);
  EXPECT_FALSE(decoder.NextPlain().has_value());
  decoder.Feed(Encode(0, "ab") + Encode(2, "cd") + Encode(0, "ef") + std::string(1, '\0'));
  std::optional<EnvelopeView> plain = decoder.NextPlain();
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->payload, "ab");
  EXPECT_EQ(plain->credit, 7u);
  // One with flags stays where it is.
  EXPECT_FALSE(decoder.NextPlain().has_value());
  EXPECT_FALSE(decoder.NextPlain().has_value());
  EXPECT_EQ((*decoder.Next())->payload, "cd");
  plain = decoder.NextPlain();
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->payload, "ef");
  EXPECT_FALSE(decoder.NextPlain().has_value());
  // A refused one is said by Next() alone.
  decoder.Feed(std::string_view("\0\0\0\x09", 4));
  EXPECT_FALSE(decoder.NextPlain().has_value());
  EXPECT_THAT(decoder.Next(), StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace cursorwire::wire
