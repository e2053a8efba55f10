#include "crdt/yjs/document.h"

#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/yjs/support/damage.h"
#include "crdt/yjs/support/yjs_goldens.h"
#include "crdt/yjs/update.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::yjs {
namespace {

using crdt::TextSize;
using crdt::Unit;
using test::IsOk;

constexpr std::string_view kYjsTorn = "\xef\xbf\xbd";         // U+FFFD
constexpr std::string_view kYjsPlaceholder = "\xef\xbf\xbc";  // U+FFFC
constexpr std::string_view kYjsSmile = "\xf0\x9f\x98\x80";    // U+1F600

std::unique_ptr<Document> NewYjsDocument(uint64_t client = 99, const DocumentLimits& limits = {}) {
  return std::make_unique<Document>(
      client, [client] { return client + 1000; }, limits);
}

// Applies an update that must be good; whether it changed something.
bool ApplyYjs(Document& document, std::string_view update) {
  const absl::StatusOr<bool> changed = document.Apply(update);
  EXPECT_TRUE(changed.ok()) << changed.status();
  return changed.ok() && *changed;
}

std::string SpliceYjs(Document& document, uint32_t at, uint32_t count, std::string_view text,
                      std::string_view root = "t") {
  absl::StatusOr<std::string> update = document.Splice(root, Unit::kUtf16, at, count, text);
  EXPECT_TRUE(update.ok()) << update.status();
  return update.ok() ? *update : "";
}

std::u16string ToYjsUtf16(std::string_view text) {
  std::u16string result;
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<uint8_t>(text[i]);
    const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t point = size == 1 ? first : first & (0x7fU >> size);
    for (size_t k = 1; k < size; ++k)
      point = point << 6 | (static_cast<uint8_t>(text[i + k]) & 0x3fU);
    i += size;
    if (point >= 0x10000) {
      result += static_cast<char16_t>(0xd800 + ((point - 0x10000) >> 10));
      result += static_cast<char16_t>(0xdc00 + ((point - 0x10000) & 0x3ff));
    } else {
      result += static_cast<char16_t>(point);
    }
  }
  return result;
}

void FollowYjs(const std::vector<TextChange>& changes, std::u16string& text) {
  for (const TextChange& change : changes) {
    ASSERT_LE(change.at.utf16 + change.deleted.utf16, text.size());
    text.replace(change.at.utf16, change.deleted.utf16, ToYjsUtf16(change.inserted));
  }
}

// As Yjs shows it, which leaves out what is no text.
std::string ShownByYjs(const Document& document) {
  return absl::StrReplaceAll(document.Text("t"), {{kYjsPlaceholder.data(), ""}});
}

void ExpectYjsGolden(const Document& document, const test::YjsGolden& golden) {
  EXPECT_EQ(ShownByYjs(document), golden.text);
  EXPECT_EQ(WriteStateVector(document.state_vector()), golden.state_vector);
  const auto copy = NewYjsDocument();
  ApplyYjs(*copy, document.EncodeState());
  EXPECT_EQ(ShownByYjs(*copy), golden.text);
  EXPECT_EQ(copy->EncodeState(), document.EncodeState());
}

// --- goldens

TEST(YjsDocument, MakesOfEachGoldenCaseWhatYjsMadeOfIt) {
  for (const test::YjsGolden& golden : test::ReadYjsGoldens().All()) {
    SCOPED_TRACE(golden.name);
    const auto document = NewYjsDocument();
    for (const std::string& update : golden.updates) ApplyYjs(*document, update);
    ExpectYjsGolden(*document, golden);
    EXPECT_EQ(document->EncodeState(), golden.full_update);
    EXPECT_FALSE(document->needs_sync());
  }
}

TEST(YjsDocument, ReadsTheWholeStateThatYjsWrites) {
  for (const test::YjsGolden& golden : test::ReadYjsGoldens().All()) {
    SCOPED_TRACE(golden.name);
    const auto document = NewYjsDocument();
    EXPECT_EQ(ApplyYjs(*document, golden.full_update), !golden.updates.empty());
    ExpectYjsGolden(*document, golden);
    EXPECT_EQ(document->EncodeState(), golden.full_update);
    EXPECT_FALSE(ApplyYjs(*document, golden.full_update));
  }
}

TEST(YjsDocument, OrderOfUpdatesDoesNotMatter) {
  for (const test::YjsGolden& golden : test::ReadYjsGoldens().All()) {
    for (const uint32_t seed : {0U, 1U, 2U, 3U}) {
      SCOPED_TRACE(golden.name + ", order " + std::to_string(seed));
      std::vector<std::string> updates = golden.updates;
      if (seed == 0) {
        std::reverse(updates.begin(), updates.end());
      } else {
        std::shuffle(updates.begin(), updates.end(), std::mt19937(seed));
      }
      const auto document = NewYjsDocument();
      document->Watch("t");
      std::u16string followed;
      for (const std::string& update : updates) {
        ApplyYjs(*document, update);
        FollowYjs(document->TakeChanges("t"), followed);
        EXPECT_EQ(followed, ToYjsUtf16(document->Text("t")));
      }
      ExpectYjsGolden(*document, golden);
      EXPECT_EQ(document->EncodeState().size(), golden.full_update.size());
    }
  }
}

TEST(YjsDocument, KeepsNoChangesOfATextThatIsNotWatchedAnyMore) {
  Document ours(1, [] { return uint64_t{3}; });
  Document theirs(2, [] { return uint64_t{4}; });
  ours.Watch("t");
  for (const bool watched : {true, false}) {
    const auto update = theirs.Splice("t", crdt::Unit::kBytes, 0, 0, "text");
    ASSERT_TRUE(update.ok() && ours.Apply(*update).ok());
    if (!watched) break;
    ours.Unwatch("t");
    EXPECT_TRUE(ours.TakeChanges("t").empty());
  }
  EXPECT_TRUE(ours.TakeChanges("t").empty());
  EXPECT_EQ(ours.Text("t"), "texttext");
}

TEST(YjsDocument, SameUpdateTwiceChangesNothing) {
  for (const test::YjsGolden& golden : test::ReadYjsGoldens().All()) {
    SCOPED_TRACE(golden.name);
    const auto document = NewYjsDocument();
    document->Watch("t");
    for (const std::string& update : golden.updates) {
      ApplyYjs(*document, update);
      document->TakeChanges("t");
      EXPECT_FALSE(ApplyYjs(*document, update));
      EXPECT_TRUE(document->TakeChanges("t").empty());
    }
    for (const std::string& update : golden.updates) EXPECT_FALSE(ApplyYjs(*document, update));
    ExpectYjsGolden(*document, golden);
  }
}

TEST(YjsDocument, StateIsCompleteWhileStructsAndDeletesWait) {
  for (const test::YjsGolden& golden : test::ReadYjsGoldens().All()) {
    SCOPED_TRACE(golden.name);
    for (size_t missing = 0; missing < golden.updates.size(); ++missing) {
      const auto document = NewYjsDocument();
      for (size_t i = golden.updates.size(); i > 0; --i) {
        if (i - 1 != missing) ApplyYjs(*document, golden.updates[i - 1]);
      }
      const auto copy = NewYjsDocument();
      ApplyYjs(*copy, document->EncodeState());
      EXPECT_EQ(copy->EncodeState(), document->EncodeState());
      EXPECT_EQ(copy->Text("t"), document->Text("t"));
      ApplyYjs(*copy, golden.updates[missing]);
      ExpectYjsGolden(*copy, golden);
    }
  }
}

TEST(YjsDocument, StateBeyondAnyVectorCompletesAPeer) {
  for (const test::YjsGolden& golden : test::ReadYjsGoldens().histories) {
    SCOPED_TRACE(golden.name);
    const auto whole = NewYjsDocument();
    ApplyYjs(*whole, golden.full_update);
    const auto peer = NewYjsDocument();
    for (const std::string& update : golden.updates) {
      const auto copy = NewYjsDocument();
      ApplyYjs(*copy, peer->EncodeState());
      ApplyYjs(*copy, whole->EncodeState(copy->state_vector()));
      ExpectYjsGolden(*copy, golden);
      ApplyYjs(*peer, update);
    }
  }
}

// --- traps

TEST(YjsDocument, ClientIdsAbove31Bits) {
  for (const uint64_t id : {uint64_t{0x80000001}, uint64_t{0xffffffff}, (uint64_t{1} << 53) - 1}) {
    const auto a = NewYjsDocument(id);
    const auto b = NewYjsDocument(id - 1);
    ApplyYjs(*b, SpliceYjs(*a, 0, 0, "ac"));
    ApplyYjs(*a, SpliceYjs(*b, 1, 0, "b"));
    EXPECT_EQ(a->Text("t"), "abc");
    EXPECT_EQ(a->EncodeState(), b->EncodeState());
    EXPECT_EQ(a->state_vector(), (StateVector{{id, 2}, {id - 1, 1}}));
  }
}

TEST(YjsDocument, OriginInsideALaterSplitItem) {
  const auto a = NewYjsDocument(1);
  const auto b = NewYjsDocument(2);
  ApplyYjs(*b, SpliceYjs(*a, 0, 0, "abcdef"));
  const std::string by_a = SpliceYjs(*a, 4, 0, "A");
  const std::string by_b = SpliceYjs(*b, 2, 0, "B");
  ApplyYjs(*a, by_b);
  ApplyYjs(*b, by_a);
  EXPECT_EQ(a->Text("t"), "abBcdAef");
  EXPECT_EQ(b->Text("t"), a->Text("t"));
}

TEST(YjsDocument, DeletedNeighboursAsOrigins) {
  const auto a = NewYjsDocument(1);
  const auto b = NewYjsDocument(2);
  ApplyYjs(*b, SpliceYjs(*a, 0, 0, "abc"));
  const std::string deleted = SpliceYjs(*a, 0, 3, "");
  const std::string inserted = SpliceYjs(*b, 1, 0, "x");
  ApplyYjs(*a, inserted);
  ApplyYjs(*b, deleted);
  EXPECT_EQ(a->Text("t"), "x");
  EXPECT_EQ(b->Text("t"), "x");
  // Both neighbours of the next one are deleted, too.
  ApplyYjs(*b, SpliceYjs(*a, 0, 1, "y"));
  EXPECT_EQ(b->Text("t"), "y");
  EXPECT_EQ(a->EncodeState(), b->EncodeState());
}

TEST(YjsDocument, WhatNamesGarbageBecomesGarbage) {
  const auto document = NewYjsDocument();
  // Two units of client 1 are gone; client 2 writes behind the first, and in front of the second.
  ApplyYjs(*document, test::FromHex("0101010000 02 00"));
  ApplyYjs(*document, test::FromHex("0101020084 0100 0161 00"));
  ApplyYjs(*document, test::FromHex("0101030044 0101 0162 00"));
  EXPECT_EQ(document->Text("t"), "");
  EXPECT_EQ(document->EncodeState(),
            test::FromHex("03 0103000001 0102000001 0101000002 03 03010001 02010001 01010002"));
  EXPECT_EQ(document->PositionOf("t", {1, 0}, 0), std::nullopt);
}

TEST(YjsDocument, ItemsOfADeletedTypeBecomeGarbage) {
  const auto document = NewYjsDocument();
  // An array in the map "m", with two elements; then it is deleted, with a late third element.
  ApplyYjs(*document, test::FromHex("01 02 01 00 2701016d016b00 08000100027d017d02 00"));
  ApplyYjs(*document, test::FromHex("00 01 01 01 00 01"));
  EXPECT_TRUE(ApplyYjs(*document, test::FromHex("01 01 02 00 88 0102 01 7d03 00")));
  EXPECT_EQ(document->EncodeState(),
            test::FromHex("02 01 02 00 00 01 02 01 00 2101016d016b01 0002 02 02010001 01010003"));
}

TEST(YjsDocument, SkipStructsAreMissing) {
  const auto document = NewYjsDocument();
  // "a", three units that this update does not have, "e".
  ApplyYjs(*document, test::FromHex("01 03 01 00 04010174 0161 0a03 840103 0165 00"));
  EXPECT_EQ(document->Text("t"), "a");
  EXPECT_EQ(document->state_vector(), (StateVector{{1, 1}}));
  EXPECT_EQ(document->EncodeState(),
            test::FromHex("01 03 01 00 04010174 0161 0a03 840103 0165 00"));
  ApplyYjs(*document, test::FromHex("01 01 01 01 840100 03626364 00"));
  EXPECT_EQ(document->Text("t"), "abcde");
  EXPECT_EQ(document->EncodeState(), test::FromHex("01 01 01 00 04010174 056162636465 00"));
}

TEST(YjsDocument, OverlapWithKnownClocksIsCut) {
  const auto document = NewYjsDocument();
  ApplyYjs(*document, test::FromHex("01 01 01 00 04010174 026162 00"));
  EXPECT_TRUE(ApplyYjs(*document, test::FromHex("01 01 01 00 04010174 0461626364 00")));
  EXPECT_TRUE(ApplyYjs(*document, test::FromHex("01 01 01 02 840101 0463646566 00")));
  EXPECT_EQ(document->Text("t"), "abcdef");
  // Waiting ones that overlap each other.
  ApplyYjs(*document, test::FromHex("01 01 01 08 840107 02696a 00"));
  ApplyYjs(*document, test::FromHex("01 01 01 07 840106 0368696a 00"));
  EXPECT_TRUE(ApplyYjs(*document, test::FromHex("01 01 01 06 840105 026768 00")));
  EXPECT_EQ(document->Text("t"), "abcdefghij");
}

TEST(YjsDocument, DeleteSetBeforeItsStructs) {
  const auto a = NewYjsDocument(1);
  const std::string inserted = SpliceYjs(*a, 0, 0, "abcd");
  const std::string deleted = SpliceYjs(*a, 1, 2, "");
  const auto b = NewYjsDocument(2);
  EXPECT_FALSE(ApplyYjs(*b, deleted));
  EXPECT_EQ(b->EncodeState(), deleted);
  EXPECT_TRUE(ApplyYjs(*b, inserted));
  EXPECT_EQ(b->Text("t"), "ad");
  EXPECT_EQ(a->EncodeState(), b->EncodeState());
}

TEST(YjsDocument, TwoInsertsAtOnePlaceByThreeClientsInAllOrders) {
  const auto first = NewYjsDocument(9);
  const std::string start = SpliceYjs(*first, 0, 0, "[]");
  std::vector<std::string> updates;
  for (const uint64_t client : {1U, 2U, 3U}) {
    const auto peer = NewYjsDocument(client);
    ApplyYjs(*peer, start);
    updates.push_back(SpliceYjs(*peer, 1, 0, std::string(1, static_cast<char>('a' + client))));
    updates.push_back(SpliceYjs(*peer, 1, 0, std::string(1, static_cast<char>('A' + client))));
  }
  std::vector<size_t> order{0, 1, 2, 3, 4, 5};
  do {
    const auto peer = NewYjsDocument();
    for (const size_t i : order) ApplyYjs(*peer, updates[i]);
    ApplyYjs(*peer, start);
    ASSERT_EQ(peer->Text("t"), "[BbCcDd]");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(YjsDocument, FormatItemsAtTheIndexStay) {
  const test::YjsGoldens goldens = test::ReadYjsGoldens();
  const auto document = NewYjsDocument();
  ApplyYjs(*document, goldens.Named("formatting (ContentFormat) inside text").full_update);
  ASSERT_EQ(document->Text("t"), "heXllo");
  // It goes behind the visible unit, in front of the format item.
  const std::string update = SpliceYjs(*document, 1, 0, "_");
  EXPECT_EQ(update, test::FromHex("01 01 63 00 c4 0100 0105 015f 00"));
  const std::string deleted = SpliceYjs(*document, 0, 7, "");
  EXPECT_EQ(deleted, test::FromHex("00 02 63 01 00 01 01 02 00 05 07 01"));
  EXPECT_EQ(document->size("t"), TextSize());
}

TEST(YjsDocument, RootNameIsAPathWithNonAscii) {
  const auto a = NewYjsDocument(1);
  const auto b = NewYjsDocument(2);
  const std::string root = "demo/src/\xc3\xa4.js";
  ApplyYjs(*b, SpliceYjs(*a, 0, 0, "x", root));
  EXPECT_EQ(b->Text(root), "x");
  EXPECT_EQ(b->Text("demo/src/a.js"), "");
}

TEST(YjsDocument, SurrogatePairSplitByAPeer) {
  for (const bool watched : {true, false}) {
    const auto document = NewYjsDocument();
    ApplyYjs(*document, test::FromHex("01 01 01 00 04010174 06 61f09f9880 62 00"));
    if (watched) document->Watch("t");
    std::u16string followed = ToYjsUtf16(document->Text("t"));
    ApplyYjs(*document, test::FromHex("01 01 02 00 c4 0101 0102 0158 00"));
    const std::string torn = "a" + std::string(kYjsTorn) + "X" + std::string(kYjsTorn) + "b";
    EXPECT_EQ(document->Text("t"), torn);
    EXPECT_EQ(document->size("t"), crdt::Measure(torn));
    if (!watched) continue;
    FollowYjs(document->TakeChanges("t"), followed);
    EXPECT_EQ(followed, ToYjsUtf16(torn));
  }
}

TEST(YjsDocument, SurrogatePairHalfDeletedByAPeer) {
  const auto document = NewYjsDocument();
  ApplyYjs(*document, test::FromHex("01 01 01 00 04010174 06 61f09f9880 62 00"));
  document->Watch("t");
  std::u16string followed = ToYjsUtf16(document->Text("t"));
  ApplyYjs(*document, test::FromHex("00 01 01 01 02 01"));
  EXPECT_EQ(document->Text("t"), "a" + std::string(kYjsTorn) + "b");
  FollowYjs(document->TakeChanges("t"), followed);
  EXPECT_EQ(followed, ToYjsUtf16(document->Text("t")));
}

TEST(YjsDocument, OwnEditsNeverSplitASurrogatePair) {
  const std::string smile(kYjsSmile);
  const auto document = NewYjsDocument();
  SpliceYjs(*document, 0, 0, "a" + smile + smile + "b");
  SpliceYjs(*document, 2, 0, "x");  // within the first: behind it
  EXPECT_EQ(document->Text("t"), "a" + smile + "x" + smile + "b");
  SpliceYjs(*document, 2, 1, "");  // half of it: all of it
  EXPECT_EQ(document->Text("t"), "ax" + smile + "b");
  SpliceYjs(*document, 1, 2, "");  // and half of the other
  EXPECT_EQ(document->Text("t"), "ab");
}

TEST(YjsDocument, CutsInTheMiddleOfCharactersInBytes) {
  const auto document = NewYjsDocument();
  SpliceYjs(*document, 0, 0, "\xc3\xa4" + std::string(kYjsSmile) + "z");
  ASSERT_TRUE(document->Splice("t", Unit::kBytes, 1, 3, "-").ok());
  EXPECT_EQ(document->Text("t"), "-z");
  EXPECT_EQ(document->Splice("t", Unit::kBytes, 1, 2, "").status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(document->Splice("t", Unit::kLines, 0, 0, "x").status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(*document->Splice("t", Unit::kBytes, 1, 0, ""), "");
}

TEST(YjsDocument, OwnTextIsMadeUtf8) {
  const auto document = NewYjsDocument();
  SpliceYjs(*document, 0, 0, "a\xff");
  EXPECT_EQ(document->Text("t"), "a" + std::string(kYjsTorn));
}

// --- others under our client number

TEST(YjsDocument, TakesANewClientNumberWhenAPeerHasTheSame) {
  const auto a = NewYjsDocument(7);
  const auto b = NewYjsDocument(7);
  const std::string by_a = SpliceYjs(*a, 0, 0, "a");
  EXPECT_FALSE(ApplyYjs(*a, by_a));
  EXPECT_EQ(a->client(), 7u);
  ApplyYjs(*b, by_a);
  EXPECT_EQ(b->client(), 1007u);
  ApplyYjs(*a, SpliceYjs(*b, 1, 0, "b"));
  EXPECT_EQ(a->client(), 7u);
  EXPECT_EQ(a->Text("t"), "ab");
  // What waits, and deletes, say it as well.
  ApplyYjs(*a, test::FromHex("01 01 07 05 840704 0161 00"));
  EXPECT_EQ(a->client(), 1008u) << "1007 is known";
  ApplyYjs(*b, test::FromHex("00 01 ef07 01 05 01"));
  EXPECT_EQ(b->client(), 1008u);
}

// --- what a listener is told

TEST(YjsDocument, TellsOfChangesOfOthersAlone) {
  const auto a = NewYjsDocument(1);
  const auto b = NewYjsDocument(2);
  a->Watch("t");
  b->Watch("t");
  ApplyYjs(*b, SpliceYjs(*a, 0, 0,
                         "\xc3\xa4"
                         "bcd\n"));
  EXPECT_TRUE(a->TakeChanges("t").empty());
  std::vector<TextChange> changes = b->TakeChanges("t");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].inserted,
            "\xc3\xa4"
            "bcd\n");
  ApplyYjs(*b, SpliceYjs(*a, 1, 2, "xy"));
  changes = b->TakeChanges("t");
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].inserted, "xy");
  EXPECT_EQ(changes[0].at, (TextSize{.bytes = 4, .utf16 = 3, .code_points = 3}));
  EXPECT_EQ(changes[1].at, (TextSize{.bytes = 2, .utf16 = 1, .code_points = 1}));
  EXPECT_EQ(changes[1].deleted, (TextSize{.bytes = 2, .utf16 = 2, .code_points = 2}));
  ApplyYjs(*b, SpliceYjs(*a, 0, 0, "other", "another root"));
  EXPECT_TRUE(b->TakeChanges("t").empty());
}

TEST(YjsDocument, ShowsWhatIsNotTextAsAPlaceholder) {
  const test::YjsGoldens goldens = test::ReadYjsGoldens();
  const auto document = NewYjsDocument();
  document->Watch("t");
  for (const std::string& update :
       goldens.Named("embed, map entry and nested type beside the text").updates) {
    ApplyYjs(*document, update);
  }
  const std::string text = document->Text("t");
  EXPECT_EQ(document->size("t"), crdt::Measure(text));
  std::u16string followed;
  FollowYjs(document->TakeChanges("t"), followed);
  EXPECT_EQ(followed, ToYjsUtf16(text));
  EXPECT_EQ(text, "a" + std::string(kYjsPlaceholder) + "b");
  SpliceYjs(*document, 0, 3, "c");
  EXPECT_EQ(document->Text("t"), "c");
}

// --- anchors

TEST(YjsDocument, AnchorsStayAtTheirUnit) {
  const auto a = NewYjsDocument(1);
  SpliceYjs(*a, 0, 0, "ab" + std::string(kYjsSmile) + "cd");
  const std::optional<Id> of_c = a->AnchorAt("t", Unit::kUtf16, 4);
  ASSERT_TRUE(of_c);
  EXPECT_EQ(*of_c, (Id{1, 4}));
  EXPECT_EQ(a->AnchorAt("t", Unit::kUtf16, 3), (Id{1, 2})) << "the start of the pair";
  EXPECT_EQ(a->AnchorAt("t", Unit::kUtf16, 6), std::nullopt);
  SpliceYjs(*a, 0, 0, "__");
  EXPECT_EQ(a->PositionOf("t", *of_c, 0)->utf16, 6u);
  EXPECT_EQ(a->PositionOf("t", *of_c, -1)->utf16, 7u);
  EXPECT_EQ(a->PositionOf("t", {1, 2}, -1)->utf16, 6u) << "the end of the pair";
  SpliceYjs(*a, 5, 3, "");
  EXPECT_EQ(a->PositionOf("t", *of_c, 0)->utf16, 4u);
  EXPECT_EQ(a->PositionOf("t", *of_c, -1)->utf16, 4u);
  EXPECT_EQ(a->PositionOf("t", {1, 100}, 0), std::nullopt);
  EXPECT_EQ(a->PositionOf("t", {2, 0}, 0), std::nullopt);
  EXPECT_EQ(a->PositionOf("u", *of_c, 0), std::nullopt);
}

// --- hostile input

TEST(YjsDocument, CountsOf2To50AreLengthsAlone) {
  const auto document = NewYjsDocument();
  // Deleted content, then garbage, of 2^50 units each, and text behind the first.
  ApplyYjs(*document,
           test::FromHex("01 02 01 00 01010174 8080808080808002 00 8080808080808002 00"));
  ApplyYjs(*document, test::FromHex("01 01 02 00 84 01 ffffffffffffff01 0161 00"));
  EXPECT_EQ(document->Text("t"), "a");
  EXPECT_EQ(document->state_vector(), (StateVector{{2, 1}, {1, uint64_t{1} << 51}}));
  // Deletes of all that there is and will be.
  ApplyYjs(*document, test::FromHex("00 02 02 01 00 ffffffffffffff0f 01 01 00 ffffffffffffff0f"));
  EXPECT_EQ(document->Text("t"), "");
  EXPECT_EQ(SpliceYjs(*document, 0, 0, "x").empty(), false);
  EXPECT_EQ(document->Text("t"), "x");
}

TEST(YjsDocument, RefusesAnItemThatNamesALaterOneOfItsClient) {
  const auto document = NewYjsDocument();
  for (const char* update : {"01 01 01 00 84 0100 0161 00", "01 01 01 00 44 0105 0161 00",
                             "01 01 01 00 04 00 0100 0161 00"}) {
    EXPECT_EQ(document->Apply(test::FromHex(update)).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(document->EncodeState(), test::FromHex("0000"));
}

TEST(YjsDocument, ItemsThatWaitForEachOtherWaitForEver) {
  const auto document = NewYjsDocument();
  EXPECT_FALSE(
      ApplyYjs(*document, test::FromHex("02 01 02 00 84 0100 0161 01 01 00 84 0200 0161 00")));
  EXPECT_TRUE(ApplyYjs(*document, test::FromHex("01 01 03 00 04010174 0163 00")));
  EXPECT_EQ(document->Text("t"), "c");
}

TEST(YjsDocument, ParentsThatAreNoTypesMakeGarbage) {
  const auto document = NewYjsDocument();
  ApplyYjs(*document, test::FromHex("01 01 01 00 04010174 0161 00"));
  ApplyYjs(*document, test::FromHex("01 01 02 00 04 00 0100 0162 00"));
  EXPECT_EQ(document->EncodeState(),
            test::FromHex("02 01 02 00 0001 01 01 00 04010174 0161 01 02010001"));
}

TEST(YjsDocument, DamagedUpdatesDoNoHarm) {
  for (const test::YjsGolden& golden : test::ReadYjsGoldens().named) {
    const auto check = [](const std::string& update) {
      const auto document = NewYjsDocument();
      SpliceYjs(*document, 0, 0, "own text");
      document->Watch("t");
      std::u16string followed = ToYjsUtf16(document->Text("t"));
      document->Apply(update).IgnoreError();
      FollowYjs(document->TakeChanges("t"), followed);
      EXPECT_EQ(followed, ToYjsUtf16(document->Text("t")));
      EXPECT_EQ(document->size("t"), crdt::Measure(document->Text("t")));
      const auto copy = NewYjsDocument(5);
      ApplyYjs(*copy, document->EncodeState());
      EXPECT_EQ(copy->state_vector(), document->state_vector());
    };
    test::CutAtEachByte(golden.full_update, check);
    test::ChangeEachByte(golden.full_update.substr(0, 200), check);
  }
}

TEST(YjsDocument, NestedTypesMayBeDeep) {
  // Each is the only element of the one before it.
  const auto document = NewYjsDocument();
  Update written;
  ClientStructs& structs = written.clients.emplace_back();
  structs.client = 1;
  constexpr uint64_t kDepth = 50000;
  for (uint64_t i = 0; i < kDepth; ++i) {
    Struct item{.id = {1, i}, .length = 1};
    item.content = {.kind = ContentKind::kType, .length = 1, .bytes = std::string_view("\0", 1)};
    item.parent = RootName{.name = "t"};
    if (i > 0) item.parent = Id{.client = 1, .clock = i - 1};
    structs.structs.push_back(item);
  }
  ApplyYjs(*document, WriteUpdate(written));
  EXPECT_EQ(document->Text("t"), kYjsPlaceholder);
  SpliceYjs(*document, 0, 1, "");
  EXPECT_EQ(document->EncodeState(),
            test::FromHex("01 02 01 00 01010174 01 00 cf8603 01 01 01 00 d08603"));
}

TEST(YjsDocument, WaitingIsBounded) {
  DocumentLimits limits;
  limits.pending.max_structs = 10;
  const auto document = NewYjsDocument(99, limits);
  const auto peer = NewYjsDocument(1);
  std::vector<std::string> updates;
  for (int i = 0; i < 30; ++i) updates.push_back(SpliceYjs(*peer, 0, 0, "x"));
  for (size_t i = 1; i <= 10; ++i) ApplyYjs(*document, updates[i]);
  EXPECT_FALSE(document->needs_sync());
  for (size_t i = 11; i < 30; ++i) ApplyYjs(*document, updates[i]);
  EXPECT_TRUE(document->needs_sync());
  document->OnSyncAsked();
  EXPECT_FALSE(document->needs_sync());
  ApplyYjs(*document, peer->EncodeState(document->state_vector()));
  EXPECT_EQ(document->EncodeState(), peer->EncodeState());
}

TEST(YjsDocument, LimitsAreKept) {
  DocumentLimits limits{.max_bytes = 100, .max_items = 50};
  const auto document = NewYjsDocument(99, limits);
  EXPECT_EQ(document->Splice("t", Unit::kUtf16, 0, 0, std::string(101, 'x')).status().code(),
            absl::StatusCode::kResourceExhausted);
  const auto peer = NewYjsDocument(1);
  EXPECT_EQ(document->Apply(SpliceYjs(*peer, 0, 0, std::string(101, 'x'))).status().code(),
            absl::StatusCode::kResourceExhausted);
  SpliceYjs(*document, 0, 0, std::string(100, 'x'));
  SpliceYjs(*document, 0, 100, "");
  for (int i = 0; i < 100; ++i) document->Splice("t", Unit::kUtf16, 0, 0, "y").IgnoreError();
  EXPECT_LE(document->size("t").utf16, 50u);
}

// --- many at one place

Struct YjsLetter(uint64_t client, uint64_t clock = 0) {
  return {.id = {client, clock},
          .length = 1,
          .content = {.kind = ContentKind::kString, .length = 1, .bytes = "a"}};
}

// Each of `clients` writes one letter at the start of "t".
std::vector<std::string> YjsLettersOf(const std::vector<uint64_t>& clients) {
  std::vector<std::string> updates;
  for (const uint64_t client : clients) {
    Struct item = YjsLetter(client);
    item.parent = RootName{.name = "t"};
    updates.push_back(WriteUpdate({.clients = {{.client = client, .structs = {item}}}}));
  }
  return updates;
}

// One client writes in front of each of `count` letters of client 200, the last one first.
std::string YjsScansOfAll(uint64_t client, uint64_t count) {
  ClientStructs written{.client = client};
  for (uint64_t i = 0; i < count; ++i) {
    Struct item = YjsLetter(client, i);
    item.right_origin = Id{.client = 200, .clock = count - 1 - i};
    written.structs.push_back(item);
  }
  return WriteUpdate({.clients = {written}});
}

DocumentLimits NoYjsSteps() { return {.scan = {.saved = 0, .of_update = 0, .of_byte = 0}}; }

// Lines that two peers put below the same one, each on top of the one before.
TEST(YjsDocument, LongHistoriesThatMeetAtOnePlace) {
  const auto low = NewYjsDocument(1);
  const auto high = NewYjsDocument(2);
  ApplyYjs(*high, SpliceYjs(*low, 0, 0, "[]"));
  for (int i = 0; i < 2000; ++i) {
    SpliceYjs(*low, 1, 0, "low\n");
    SpliceYjs(*high, 1, 0, "high\n");
  }
  const std::string before = high->EncodeState(low->state_vector());
  ApplyYjs(*high, low->EncodeState(high->state_vector()));
  ApplyYjs(*low, before);
  EXPECT_EQ(low->Text("t"), high->Text("t"));
  EXPECT_EQ(low->EncodeState(), high->EncodeState());
}

TEST(YjsDocument, AThousandPeersAtOnePlaceInAnyOrder) {
  std::mt19937 random(1);
  std::vector<uint64_t> clients(1000);
  for (uint64_t& client : clients) client = random();
  std::vector<std::string> updates = YjsLettersOf(clients);
  std::string expected;
  for (int order = 0; order < 5; ++order) {
    const auto document = NewYjsDocument();
    std::shuffle(updates.begin(), updates.end(), random);
    for (const std::string& update : updates) ApplyYjs(*document, update);
    if (order == 0) expected = document->EncodeState();
    EXPECT_EQ(document->EncodeState(), expected);
    EXPECT_EQ(document->Text("t").size(), clients.size());
    std::sort(clients.begin(), clients.end());
    for (uint32_t i = 0; i < clients.size(); i += 99) {
      EXPECT_EQ(document->AnchorAt("t", Unit::kUtf16, i)->client, clients[i]);
    }
  }
}

// Each entry is of the same client and the same range.
TEST(YjsDocument, DeletesThatAreToldManyTimesAreOne) {
  Document document(99, [] { return uint64_t{98}; });
  const std::string text = "abcdefgh";
  Struct item{.id = {100, 0},
              .length = text.size(),
              .content = {.kind = ContentKind::kString, .length = text.size(), .bytes = text}};
  item.parent = RootName{.name = "t"};
  ASSERT_THAT(document.Apply(WriteUpdate({.clients = {{.client = 100, .structs = {item}}}})),
              IsOk());
  Update deletes;
  for (int i = 0; i < 3; ++i) {
    deletes.deletes.push_back({.client = 100, .ranges = {{.clock = 1, .length = 2}}});
    deletes.deletes.push_back({.client = 100, .ranges = {{.clock = 2, .length = 3}}});
    deletes.deletes.push_back({.client = 100, .ranges = {{.clock = 7, .length = 1}}});
  }
  ASSERT_THAT(document.Apply(WriteUpdate(deletes)), IsOk());
  EXPECT_EQ(document.Text("t"), "afg");
  // What is deleted already, with what is not, up to within an item.
  ASSERT_THAT(document.Apply(WriteUpdate(
                  {.deletes = {{.client = 100, .ranges = {{.clock = 1, .length = 5}}}}})),
              IsOk());
  EXPECT_EQ(document.Text("t"), "ag");
  ASSERT_THAT(document.Apply(WriteUpdate(
                  {.deletes = {{.client = 100, .ranges = {{.clock = 0, .length = 8}}}}})),
              IsOk());
  EXPECT_EQ(document.Text("t"), "");
}

TEST(YjsDocument, WhatTakesTooManyStepsWaitsAndIsToldOnce) {
  constexpr uint64_t kCount = 2000;
  const auto host = NewYjsDocument(200);
  const std::string text = SpliceYjs(*host, 0, 0, std::string(kCount, 'c'));
  const std::string hostile = YjsScansOfAll(100, kCount);
  const auto whole = NewYjsDocument(5);
  ApplyYjs(*whole, text);
  ApplyYjs(*whole, hostile);

  DocumentLimits limits;
  limits.scan = {.saved = 1'000'000, .of_update = 10'000, .of_byte = 1};
  const auto document = NewYjsDocument(6, limits);
  document->Watch("t");
  ApplyYjs(*document, text);
  EXPECT_EQ(document->Apply(hostile).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(document->has_applied());
  EXPECT_LT(document->size("t").utf16, 2 * kCount);
  std::u16string followed;
  FollowYjs(document->TakeChanges("t"), followed);
  EXPECT_EQ(followed, ToYjsUtf16(document->Text("t")));
  ApplyYjs(*document, hostile);  // told once

  // Others go on, in both directions, and what waits is passed on.
  const auto peer = NewYjsDocument(300);
  ApplyYjs(*peer, text);
  ApplyYjs(*document, SpliceYjs(*peer, kCount, 0, "peer"));
  ApplyYjs(*peer, SpliceYjs(*document, document->size("t").utf16, 0, "own"));
  EXPECT_TRUE(peer->Text("t").ends_with("peerown"));
  EXPECT_TRUE(document->Text("t").ends_with("peerown"));
  ApplyYjs(*peer, document->EncodeState());
  ApplyYjs(*whole, peer->EncodeState());
  EXPECT_EQ(peer->EncodeState(), whole->EncodeState());

  // With the steps that later updates bring, it comes to the same.
  for (int i = 0; i < 5000 && document->size("t") != whole->size("t"); ++i) {
    const std::string update = SpliceYjs(*peer, 0, 0, "x");
    ApplyYjs(*document, update);
    ApplyYjs(*whole, update);
  }
  EXPECT_EQ(document->Text("t"), whole->Text("t"));
  EXPECT_EQ(document->EncodeState(), whole->EncodeState());
}

TEST(YjsDocument, UnrelatedItemsOfAnUpdateWithTooManyStepsAreApplied) {
  constexpr uint64_t kCount = 500;
  const auto host = NewYjsDocument(200);
  const auto document = NewYjsDocument(99, NoYjsSteps());
  ApplyYjs(*document, SpliceYjs(*host, 0, 0, std::string(kCount, 'c')));
  const std::string scans = YjsScansOfAll(100, kCount);
  absl::StatusOr<Update> update = ReadUpdate(scans);
  ASSERT_TRUE(update.ok());
  Struct other = YjsLetter(50);
  other.origin = Id{.client = 200, .clock = kCount - 1};
  update->clients.push_back({.client = 50, .structs = {other}});
  EXPECT_FALSE(document->Apply(WriteUpdate(*update)).ok());
  EXPECT_TRUE(document->Text("t").ends_with("ca"));
}

// --- many items

// In square time this would take minutes.
TEST(YjsDocument, ManySingleCharacterItems) {
  constexpr uint32_t kCount = 20'000;
  const auto document = NewYjsDocument(1);
  std::vector<std::string> updates;
  for (uint32_t i = 0; i < kCount; ++i) updates.push_back(SpliceYjs(*document, 0, 0, "x"));
  const auto forward = NewYjsDocument();
  for (const std::string& update : updates) ApplyYjs(*forward, update);
  const auto backward = NewYjsDocument();
  for (size_t i = updates.size(); i > 0; --i) ApplyYjs(*backward, updates[i - 1]);
  const std::string state = document->EncodeState();
  EXPECT_EQ(forward->EncodeState(), state);
  EXPECT_EQ(backward->EncodeState(), state);
  SpliceYjs(*document, 0, kCount, "");
  ApplyYjs(*forward, document->EncodeState());
  EXPECT_EQ(forward->Text("t"), "");
}

// --- peers of our own

struct YjsPeer {
  std::unique_ptr<Document> document;
  std::u16string followed;
  std::vector<std::string> inbox;
};

// Takes a part of what has come, in any order.
void ReceiveYjs(YjsPeer& peer, std::mt19937& random, size_t count) {
  for (; count > 0 && !peer.inbox.empty(); --count) {
    const size_t i = random() % peer.inbox.size();
    ApplyYjs(*peer.document, peer.inbox[i]);
    if (random() % 4 != 0) peer.inbox.erase(peer.inbox.begin() + static_cast<ptrdiff_t>(i));
    FollowYjs(peer.document->TakeChanges("t"), peer.followed);
    ASSERT_EQ(peer.followed, ToYjsUtf16(peer.document->Text("t")));
  }
}

void EditYjs(std::vector<YjsPeer>& peers, size_t number, std::mt19937& random) {
  const std::string texts[] = {"a",  "word ", "\xc3\xa9", std::string(kYjsSmile),
                               "\n", "",      "",         std::string(random() % 9000, 'L')};
  YjsPeer& peer = peers[number];
  const uint32_t size = peer.document->size("t").utf16;
  const auto at = static_cast<uint32_t>(random() % (size + 1));
  const uint32_t count =
      random() % 2 == 0 ? 0 : std::min(size - at, static_cast<uint32_t>(random() % 6));
  const std::string update =
      SpliceYjs(*peer.document, at, count, texts[random() % (random() % 50 == 0 ? 8 : 7)]);
  peer.followed = ToYjsUtf16(peer.document->Text("t"));
  if (update.empty()) return;
  for (size_t other = 0; other < peers.size(); ++other) {
    if (other != number) peers[other].inbox.push_back(update);
  }
}

TEST(YjsDocument, PeersComeToTheSameText) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<YjsPeer> peers(2 + seed % 4);
    for (size_t i = 0; i < peers.size(); ++i) {
      peers[i].document = NewYjsDocument(random() | 1U);
      peers[i].document->Watch("t");
    }
    for (int step = 0; step < 300; ++step) {
      const size_t number = random() % peers.size();
      EditYjs(peers, number, random);
      ReceiveYjs(peers[random() % peers.size()], random, random() % 5);
    }
    for (YjsPeer& peer : peers) {
      while (!peer.inbox.empty()) ReceiveYjs(peer, random, 1000);
    }
    for (const YjsPeer& peer : peers) {
      EXPECT_EQ(peer.document->Text("t"), peers[0].document->Text("t"));
      EXPECT_EQ(peer.document->state_vector(), peers[0].document->state_vector());
      EXPECT_EQ(peer.document->EncodeState(), peers[0].document->EncodeState());
    }
  }
}

}  // namespace
}  // namespace cursorwire::yjs
