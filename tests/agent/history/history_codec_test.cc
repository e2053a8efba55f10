#include "agent/history/history_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::agent {
namespace {

using test::FromHex;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::Eq;

HistoryTurn WholeTurn() {
  return {.prompt = "Is it w\u00E4rm?",
          .images = 2,
          .items = {HistoryText{"Let me see."},
                    HistoryToolCall{.call_id = "c1",
                                    .name = "mcp_cursorwire_get_weather",
                                    .arguments_json = R"({"city":"Bern"})",
                                    .result = "rain",
                                    .is_error = true},
                    HistoryText{"No."}}};
}

TEST(HistoryCodec, ReadsWhatItWrites) {
  EXPECT_THAT(DecodeTurn(EncodeTurn(WholeTurn())), IsOkAndHolds(Eq(WholeTurn())));
  EXPECT_THAT(DecodeTurn(EncodeTurn({})), IsOkAndHolds(Eq(HistoryTurn{})));
}

TEST(HistoryCodec, WritesTheSameBytesForever) {
  // A file of a session holds them.
  const HistoryTurn turn{.prompt = "p",
                         .images = 1,
                         .items = {HistoryText{"t"}, HistoryToolCall{.call_id = "c", .name = "n"}}};
  EXPECT_EQ(EncodeTurn(turn), FromHex("0A 01 70  10 01  1A 01 74"
                                      "22 0C  0A 01 63  12 01 6E  1A 00  22 00  28 00"));
}

TEST(HistoryCodec, KeepsHowATurnHasEnded) {
  for (const TurnEnding ending :
       {TurnEnding::kCancelled, TurnEnding::kInterrupted, TurnEnding::kFailed}) {
    HistoryTurn turn = WholeTurn();
    turn.ending = ending;
    EXPECT_THAT(DecodeTurn(EncodeTurn(turn)), IsOkAndHolds(Eq(turn)));
    EXPECT_NE(FingerprintOf({turn}), FingerprintOf({WholeTurn()}));
  }
  EXPECT_EQ(EncodeTurn({.prompt = "p", .ending = TurnEnding::kCancelled}),
            FromHex("0A 01 70  10 00  28 01"));
  // One that is not known is no completed turn.
  EXPECT_EQ(DecodeTurn(FromHex("28 63"))->ending, TurnEnding::kFailed);
}

TEST(HistoryCodec, SkipsFieldsThatItDoesNotKnow) {
  EXPECT_THAT(DecodeTurn(FromHex("0A 01 70  48 05  52 01 78")),
              IsOkAndHolds(Eq(HistoryTurn{.prompt = "p"})));
}

TEST(HistoryCodec, RefusesEveryPrefixThatCutsAField) {
  const std::string whole = EncodeTurn(WholeTurn());
  int damaged = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    const absl::StatusOr<HistoryTurn> turn = DecodeTurn(whole.substr(0, size));
    if (turn.ok()) {
      EXPECT_NE(*turn, WholeTurn());
    } else {
      ++damaged;
      EXPECT_THAT(turn, StatusIs(absl::StatusCode::kDataLoss));
    }
  }
  EXPECT_GT(damaged, 60);
}

TEST(HistoryCodec, RefusesWhatItNeverWrites) {
  struct Case {
    const char* name;
    const char* hex;
  };
  const Case cases[] = {
      {"prompt that is not UTF-8", "0A 01 FF"},     {"prompt that is a number", "08 01"},
      {"images that are a text", "12 01 61"},       {"text that is not UTF-8", "1A 01 C3"},
      {"tool call that is a number", "20 01"},      {"broken tool call", "22 02 0A 05"},
      {"name that is not UTF-8", "22 03 12 01 80"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(DecodeTurn(FromHex(c.hex)), StatusIs(absl::StatusCode::kDataLoss));
  }
}

TEST(Fingerprint, TellsHistoriesApart) {
  const HistoryTurn turn = WholeTurn();
  HistoryTurn other_result = turn;
  std::get<HistoryToolCall>(other_result.items[1]).result = "sun";
  HistoryTurn joined{.prompt = turn.prompt, .images = 2, .items = {HistoryText{"Let me see.No."}}};
  const std::vector<std::vector<HistoryTurn>> histories = {{},
                                                           {turn},
                                                           {turn, turn},
                                                           {other_result},
                                                           {joined},
                                                           {other_result, turn},
                                                           {turn, other_result}};
  for (size_t i = 0; i < histories.size(); ++i) {
    for (size_t j = 0; j < histories.size(); ++j) {
      EXPECT_EQ(FingerprintOf(histories[i]) == FingerprintOf(histories[j]), i == j)
          << i << " " << j;
    }
  }
}

TEST(Fingerprint, GrowsTurnByTurn) {
  const HistoryTurn turn = WholeTurn();
  EXPECT_EQ(FingerprintOf({}), "");
  EXPECT_EQ(FingerprintOf({turn, {}}), ExtendFingerprint(FingerprintOf({turn}), {}));
}

}  // namespace
}  // namespace cursorwire::agent
