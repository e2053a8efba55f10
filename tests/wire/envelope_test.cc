#include "wire/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
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
  std::vector<size_t> fed_credits;                     // what each Feed() returned
  absl::Status error;                                  // of Next()
  absl::Status finish;

  size_t credit() const {
    size_t sum = 0;
    for (size_t credit : credits) sum += credit;
    for (size_t credit : fed_credits) sum += credit;
    return sum;
  }
};

void Drain(EnvelopeDecoder& decoder, Decoded& decoded) {
  for (;;) {
    const absl::StatusOr<std::optional<EnvelopeView>> view = decoder.Next();
    if (!view.ok()) {
      decoded.error = view.status();
      return;
    }
    if (!view->has_value()) return;
    decoded.envelopes.emplace_back((*view)->flags, (*view)->payload);
    decoded.credits.push_back((*view)->credit);
  }
}

Decoded DecodeAll(const Pieces& pieces, size_t limit = kDefaultMaxMessageBytes) {
  EnvelopeDecoder decoder(limit);
  Decoded decoded;
  for (std::string_view piece : pieces) {
    decoded.fed_credits.push_back(decoder.Feed(piece));
    Drain(decoder, decoded);
  }
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
  EXPECT_THAT(decoded.fed_credits, ElementsAre(0u, 0u));
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
    EXPECT_EQ(decoded.credit(), 5u);
  });
}

TEST(EnvelopeDecoder, RefusesTheLargestLengthUnderTheDefaultLimit) {
  EXPECT_THAT(DecodeAll({FromHex("00 FF FF FF FF")}).error,
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("4294967295 bytes")));
}

TEST(EnvelopeDecoder, KeepsNoPayloadOfARefusedMessage) {
  EnvelopeDecoder decoder(4);
  decoder.Feed(FromHex("00 00 00 00 05"));
  const size_t behind_prefix = decoder.buffered_bytes();
  EXPECT_LE(behind_prefix, kEnvelopePrefixBytes);
  decoder.Feed(std::string(100000, 'x'));
  EXPECT_EQ(decoder.buffered_bytes(), behind_prefix);

  EnvelopeDecoder at_once(4);
  at_once.Feed(FromHex("00 00 00 00 05") + std::string(100000, 'x'));
  EXPECT_LE(at_once.buffered_bytes(), kEnvelopePrefixBytes);
}

TEST(EnvelopeDecoder, GivesTheEnvelopesBeforeARefusedOne) {
  ForEachSplit(Encode(0, "ab") + Encode(2, "c") + FromHex("00 00 00 00 05 78 78"),
               [](const Pieces& pieces) {
                 const Decoded decoded = DecodeAll(pieces, 4);
                 EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(0, "ab"), Pair(2, "c")));
                 EXPECT_THAT(decoded.error, StatusIs(absl::StatusCode::kResourceExhausted));
                 EXPECT_EQ(decoded.credit(), 7u + 6u + 7u);
               });
}

TEST(EnvelopeDecoder, StaysFailed) {
  EnvelopeDecoder decoder(4);
  decoder.Feed(FromHex("00 00 00 00 05"));
  const absl::Status error = decoder.Next().status();
  ASSERT_THAT(error, StatusIs(absl::StatusCode::kResourceExhausted));
  // A good envelope behind it changes nothing, and its credit is not kept.
  EXPECT_EQ(decoder.Feed(Encode(0, "ab")), 7u);
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
      EXPECT_EQ(decoded.credit(), size);
    });
  }
}

TEST(EnvelopeDecoder, NamesTheCutBehindAWholeEnvelope) {
  const Decoded decoded = DecodeAll({Encode(0, "ab") + FromHex("00 00")});
  EXPECT_THAT(decoded.envelopes, ElementsAre(Pair(0, "ab")));
  EXPECT_THAT(decoded.finish, StatusIs(absl::StatusCode::kInternal, HasSubstr("after 2 of the 5")));
}

TEST(EnvelopeDecoder, AccountsForEachByteOfCreditOnce) {
  const std::string body =
      Encode(0, "ab") + Encode(1, "") + Encode(0, std::string(20, 'x')) + Encode(2, "{}");
  ForEachSplit(body,
               [&](const Pieces& pieces) { EXPECT_EQ(DecodeAll(pieces).credit(), body.size()); });
  // In three parts too, so that envelopes end and begin inside one piece.
  for (size_t first = 0; first <= body.size(); ++first) {
    for (size_t second = first; second <= body.size(); ++second) {
      const std::string_view view = body;
      const Decoded decoded = DecodeAll(
          {view.substr(0, first), view.substr(first, second - first), view.substr(second)});
      ASSERT_EQ(decoded.credit(), body.size()) << first << ", " << second;
      ASSERT_EQ(decoded.envelopes.size(), 4u);
    }
  }
}

TEST(EnvelopeDecoder, KeepsTheWholeCreditOfAnEnvelopeThatCameAtOnce) {
  const Decoded decoded = DecodeAll({Encode(0, "abc") + Encode(0, "") + Encode(2, "{}")});
  EXPECT_THAT(decoded.fed_credits, ElementsAre(0u));
  EXPECT_THAT(decoded.credits, ElementsAre(8u, 5u, 7u));
}

TEST(EnvelopeDecoder, GivesCreditBackWhileALongMessageArrives) {
  const std::string body = Encode(0, std::string(1000, 'x'));
  const std::string_view view = body;
  EnvelopeDecoder decoder;
  EXPECT_EQ(decoder.Feed(view.substr(0, 3)), 3u);
  EXPECT_EQ(decoder.Feed(view.substr(3, 7)), 7u);
  EXPECT_EQ(decoder.Feed(view.substr(10, 500)), 500u);
  EXPECT_THAT(decoder.Next(), IsOkAndHolds(Eq(std::nullopt)));
  // The last piece completes it, and brings the start of the next.
  EXPECT_EQ(decoder.Feed(body.substr(510) + FromHex("00 00")), 2u);
  const absl::StatusOr<std::optional<EnvelopeView>> next = decoder.Next();
  ASSERT_THAT(next, IsOk());
  ASSERT_TRUE(next->has_value());
  EXPECT_EQ((*next)->payload, view.substr(5));
  EXPECT_EQ((*next)->credit, 495u);
}

TEST(EnvelopeDecoder, CountsBufferedBytesWithoutTheEnvelopeThatWasTaken) {
  EnvelopeDecoder decoder;
  decoder.Feed(Encode(0, "abc") + Encode(0, "d") + FromHex("00 00"));
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
  decoder.Feed(Encode(0, "a") + Encode(0, "b"));
  Decoded decoded;
  const absl::StatusOr<std::optional<EnvelopeView>> first = decoder.Next();
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ((*first)->payload, "a");
  // Fed while an envelope is still waiting and another was just taken.
  decoder.Feed(Encode(0, "c"));
  Drain(decoder, decoded);
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
    decoded.fed_credits.push_back(decoder.Feed(piece));
    if (!rest.empty()) {
      ASSERT_EQ(decoder.buffered_bytes(), fed);
    }
    Drain(decoder, decoded);
  }
  ASSERT_EQ(decoded.envelopes.size(), 1u);
  EXPECT_TRUE(decoded.envelopes[0].second == payload);  // no EXPECT_EQ: it would print 8 MiB
  EXPECT_EQ(decoded.credit(), body.size());
  EXPECT_LE(decoded.credits[0], kPiece);
  EXPECT_THAT(decoder.Finish(), IsOk());
}

TEST(EnvelopeDecoder, ReadsManySmallMessagesFedAtOnce) {
  constexpr size_t kCount = 200000;
  std::string body;
  for (size_t i = 0; i < kCount; ++i) ASSERT_THAT(AppendEnvelope(0, "xyz", body), IsOk());
  const Decoded decoded = DecodeAll({body});
  EXPECT_EQ(decoded.envelopes.size(), kCount);
  EXPECT_THAT(decoded.credits, Each(Eq(8u)));
}

}  // namespace
}  // namespace cursorwire::wire
