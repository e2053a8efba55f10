#include "crdt/automerge/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "crdt/automerge/document_codec.h"
#include "crdt/support/histories.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::automerge {
namespace {

using absl::StatusCode;
using crdt::Unit;
using test::FromHex;
using test::History;
using test::IsOk;
using test::ReadHistories;
using test::StatusIs;

absl::StatusOr<Chunk> ChunkOf(std::string_view bytes) {
  crdt::ByteReader reader(bytes);
  Sha256Hasher hasher;
  absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher);
  EXPECT_TRUE(!chunk.ok() || reader.empty());
  return chunk;
}

absl::Status Apply(Document& document, std::string_view bytes) {
  const absl::StatusOr<Chunk> chunk = ChunkOf(bytes);
  if (!chunk.ok()) return chunk.status();
  const absl::StatusOr<ChangeHead> head = ReadChange(chunk->body());
  if (!head.ok()) return head.status();
  return document.Apply(*chunk, *head);
}

std::string TextOf(const Document& document, std::string_view key) {
  const std::optional<Document::Value> value = document.Get(key);
  if (!value) return "";
  if (value->action == Action::kSet) return value->bytes;
  return document.FindSequence(value->id)->Text();
}

std::vector<std::string> HeadsOf(const Document& document) {
  std::vector<std::string> heads;
  for (const ChangeHash& head : document.heads()) heads.emplace_back(head.view());
  return heads;
}

// Some peers that edit at random, and exchange changes now and then.
class Peers {
 public:
  Peers(size_t count, uint32_t seed) : random_(seed) {
    for (size_t i = 0; i < count; ++i) {
      peers_.push_back(std::make_unique<Document>("peer" + std::to_string(i)));
    }
    text_ = *peers_[0]->MakeText("content");
    peers_[0]->Commit(1);
    for (auto& peer : peers_) Take(*peer, *peers_[0]);
    for (auto& peer : peers_) peer->Watch(IdIn(*peer));
    shown_.resize(count);
  }

  void Edit(size_t peer) {
    Document& document = *peers_[peer];
    const OpId text = IdIn(document);
    const crdt::TextSize size = document.FindSequence(text)->size();
    constexpr Unit kUnits[] = {Unit::kCodePoints, Unit::kUtf16, Unit::kBytes};
    const std::string now = document.FindSequence(text)->Text();
    // A place between two characters, in any unit.
    const uint32_t from = Random(size.code_points + 1);
    const uint32_t most = std::min(size.code_points - from, 1 + Random(5));
    const uint32_t count = Random(3) == 0 ? most : 0;
    const std::string_view before = crdt::PrefixOf(now, Unit::kCodePoints, from);
    const std::string_view through = crdt::PrefixOf(now, Unit::kCodePoints, from + count);
    const Unit unit = kUnits[Random(3)];
    const uint32_t at = crdt::Measure(before).In(unit);
    const uint32_t end = crdt::Measure(through).In(unit);
    constexpr const char* kTexts[] = {"a",    "bc",    "\xc3\xa9", "\xf0\x9f\x98\x80",
                                      "\r\n", "word ", "",         "\xe4\xb8\x96\xe7\x95\x8c!"};
    const std::string inserted = kTexts[Random(8)];
    ASSERT_THAT(document.Splice(text, unit, at, end - at, inserted), IsOk());
    std::string expected = now;
    expected.replace(before.size(), through.size() - before.size(), inserted);
    ASSERT_EQ(document.FindSequence(text)->Text(), expected);
    shown_[peer] = expected;
    document.Commit(2);
  }

  // The peer goes on as a new one, from what it has saved.
  void Reload(size_t peer) {
    auto loaded = std::make_unique<Document>("reloaded" + std::to_string(peer));
    const std::string saved = *peers_[peer]->Save();
    const absl::StatusOr<Chunk> chunk = ChunkOf(saved);
    ASSERT_THAT(loaded->Load(std::string(chunk->body())), IsOk());
    peers_[peer] = std::move(loaded);
    peers_[peer]->Watch(IdIn(*peers_[peer]));
    ASSERT_EQ(shown_[peer], Text(peer));
  }

  void Exchange(size_t to, size_t from) {
    Take(*peers_[to], *peers_[from]);
    for (const Document::TextChange& change : peers_[to]->TakeTextChanges()) {
      shown_[to].replace(change.at.bytes, change.deleted.bytes, change.inserted);
    }
    ASSERT_EQ(shown_[to], Text(to));
  }

  void Run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      Edit(AnyPeer());
      if (Random(4) == 0) Exchange(AnyPeer(), AnyPeer());
    }
    for (size_t to = 0; to < peers_.size(); ++to) {
      for (size_t from = 0; from < peers_.size(); ++from) Exchange(to, from);
    }
    for (size_t to = 0; to < peers_.size(); ++to) {
      for (size_t from = 0; from < peers_.size(); ++from) Exchange(to, from);
    }
    for (size_t i = 1; i < peers_.size(); ++i) {
      ASSERT_EQ(Text(i), Text(0));
      ASSERT_EQ(peers_[i]->heads(), peers_[0]->heads());
      ASSERT_EQ(peers_[i]->FindSequence(IdIn(*peers_[i]))->size(), crdt::Measure(Text(0)));
    }
  }

  std::string Text(size_t peer) const { return TextOf(*peers_[peer], "content"); }
  const Document& peer(size_t i) const { return *peers_[i]; }

 private:
  // Less than `end`.
  uint32_t Random(uint32_t end) { return static_cast<uint32_t>(random_()) % end; }
  size_t AnyPeer() { return Random(static_cast<uint32_t>(peers_.size())); }

  static OpId IdIn(const Document& document) { return document.Get("content")->id; }

  // All that `from` has and `to` has not.
  static void Take(Document& to, const Document& from) {
    for (uint32_t i = 0; i < from.changes().size(); ++i) {
      if (to.Has(from.changes().hash(i))) continue;
      ASSERT_THAT(Apply(to, from.ChunkOf(i)), IsOk());
    }
  }

  std::mt19937 random_;
  std::vector<std::unique_ptr<Document>> peers_;
  std::vector<std::string> shown_;
  OpId text_;
};

// Applies changes in any order that their deps allow.
void ApplyShuffled(Document& document, std::vector<std::string> changes, std::mt19937& random) {
  std::shuffle(changes.begin(), changes.end(), random);
  while (!changes.empty()) {
    const size_t before = changes.size();
    std::erase_if(changes, [&document](const std::string& change) {
      const absl::Status status = Apply(document, change);
      if (status.code() == StatusCode::kFailedPrecondition) return false;
      EXPECT_THAT(status, IsOk());
      return true;
    });
    ASSERT_LT(changes.size(), before);
  }
}

TEST(ChangeCodec, WritesTheBytesThatItHasRead) {
  size_t chunks = 0;
  for (const History& history : ReadHistories()) {
    Document document("reader");
    for (const std::string& change : history.changes) {
      ASSERT_THAT(Apply(document, change), IsOk());
      const auto index = static_cast<uint32_t>(document.changes().size() - 1);
      EXPECT_EQ(document.ChunkOf(index), change);
      EXPECT_TRUE(document.changes().ExtraOf(index).body.empty()) << "made again, not kept";
      ++chunks;
    }
  }
  EXPECT_GT(chunks, 200u);
}

TEST(ChangeCodec, WritesOperationsOneByOneAsItHasReadThem) {
  for (const History& history : ReadHistories()) {
    for (const std::string& change : history.changes) {
      const absl::StatusOr<Chunk> chunk = ChunkOf(change);
      ASSERT_THAT(chunk, IsOk());
      absl::StatusOr<ChangeHead> head = ReadChange(chunk->body());
      ASSERT_THAT(head, IsOk());
      OpReader reader(head->columns, head->other_actors.size() + 1);
      OpWriter writer;
      OpView op;
      while (reader.Next(op)) writer.Append(op);
      EXPECT_THAT(reader.status(), IsOk());
      head->columns = writer.Finish();
      EXPECT_EQ(ChangeWriter().Write(*head), chunk->body());
    }
  }
}

TEST(Document, MakesTheTextOfTheHistoriesInAnyOrder) {
  std::mt19937 random(7);
  for (const History& history : ReadHistories()) {
    if (history.changes.empty()) continue;
    for (int round = 0; round < 20; ++round) {
      Document document("reader");
      ApplyShuffled(document, history.changes, random);
      EXPECT_EQ(TextOf(document, "content"), history.text);
      EXPECT_EQ(HeadsOf(document), history.heads);
      const std::vector<std::string> heads = HeadsOf(document);
      // Once more changes nothing.
      ApplyShuffled(document, history.changes, random);
      EXPECT_EQ(document.changes().size(), history.changes.size());
    }
  }
}

absl::Status ApplySaved(Document& document, std::string_view bytes) {
  const absl::StatusOr<Chunk> chunk = ChunkOf(bytes);
  if (!chunk.ok()) return chunk.status();
  EXPECT_EQ(chunk->type, ChunkType::kDocument);
  return document.ApplyDocument(chunk->body());
}

TEST(Document, ReadsWhatNpmHasSaved) {
  for (const History& history : ReadHistories()) {
    Document document("reader");
    ASSERT_THAT(ApplySaved(document, history.saved), IsOk());
    EXPECT_EQ(TextOf(document, "content"), history.text);
    EXPECT_EQ(HeadsOf(document), history.heads);
    EXPECT_EQ(document.changes().size(), history.change_count);
    for (const std::string& change : history.changes) {
      EXPECT_TRUE(document.Has(ChunkOf(change)->hash));
    }
    for (uint32_t i = 0; i < document.changes().size(); ++i) {
      EXPECT_TRUE(document.changes().ExtraOf(i).body.empty());
    }
  }
}

// The columns of a document, inflated.
std::vector<std::pair<uint32_t, std::string>> ColumnsOf(std::string_view saved) {
  const absl::StatusOr<Chunk> chunk = ChunkOf(saved);
  const absl::StatusOr<DocumentHead> document = ReadDocument(chunk->body(), {});
  EXPECT_THAT(document, IsOk());
  std::vector<std::pair<uint32_t, std::string>> columns;
  for (const Columns* some : {&document->changes, &document->operations}) {
    for (const Column& column : *some) columns.emplace_back(column.spec, column.bytes);
  }
  return columns;
}

TEST(Document, ShowsWhatItLoadsBeforeItsHistory) {
  for (const History& history : ReadHistories()) {
    Document document("reader");
    const absl::StatusOr<Chunk> chunk = ChunkOf(history.saved);
    ASSERT_THAT(document.Load(std::string(chunk->body())), IsOk());
    EXPECT_EQ(TextOf(document, "content"), history.text);
    EXPECT_EQ(HeadsOf(document), history.heads);
    EXPECT_EQ(document.changes().size(), 0u);
    EXPECT_EQ(*document.Save(), history.saved);
    ASSERT_THAT(document.NeedHistory(), IsOk());
    EXPECT_EQ(document.changes().size(), history.change_count);
    EXPECT_EQ(ColumnsOf(*document.Save()), ColumnsOf(history.saved));
  }
}

TEST(Document, IsEditedByPeersAfterItWasLoaded) {
  std::mt19937 random(5);
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Peers peers(2 + seed % 3, seed);
    peers.Run(40);
    peers.Reload(0);
    peers.Run(40);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Document, IsOfNoUseWhereItIsNotWhatItsHeadsSay) {
  const History history = ReadHistories()[0];
  std::string body(ChunkOf(history.saved)->body());
  body[body.find(history.heads[0])] ^= 1;
  Document document("reader");
  ASSERT_THAT(document.Load(body), IsOk());
  EXPECT_EQ(TextOf(document, "content"), history.text);
  EXPECT_THAT(document.MakeText("content"), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(document.Splice(document.Get("content")->id, Unit::kUtf16, 0, 0, "x"),
              StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(document.Load(body), StatusIs(StatusCode::kFailedPrecondition));
}

TEST(Document, SavesTheBytesThatNpmSaves) {
  size_t equal = 0;
  for (const History& history : ReadHistories()) {
    Document document("reader");
    ASSERT_THAT(ApplySaved(document, history.saved), IsOk());
    const std::string saved = *document.Save();
    if (saved == history.saved) {
      ++equal;
      continue;
    }
    // Where columns are deflated, zlib does it in another way.
    EXPECT_EQ(ColumnsOf(saved), ColumnsOf(history.saved));
    EXPECT_NEAR(static_cast<double>(saved.size()), static_cast<double>(history.saved.size()), 16);
  }
  EXPECT_GT(equal, 20u);
}

TEST(Document, SavesAndReadsWhatPeersWroteAtRandom) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Peers peers(2 + seed % 3, seed);
    peers.Run(60);
    Document document("reader");
    ASSERT_THAT(ApplySaved(document, *peers.peer(0).Save()), IsOk());
    EXPECT_EQ(TextOf(document, "content"), peers.Text(0));
    EXPECT_EQ(document.heads(), peers.peer(0).heads());
    EXPECT_EQ(*document.Save(), *peers.peer(0).Save());
  }
}

TEST(Document, RefusesEveryCutOfASavedOne) {
  const History history = ReadHistories()[0];
  const absl::StatusOr<Chunk> chunk = ChunkOf(history.saved);
  const std::string_view body = chunk->body();
  // Without the places of the heads at the end, which older files do not have.
  for (size_t size = 0; size + 2 < body.size(); ++size) {
    Document document("reader");
    EXPECT_FALSE(document.ApplyDocument(body.substr(0, size)).ok()) << size;
    EXPECT_EQ(document.changes().size(), 0u);
  }
}

TEST(Document, TakesOrRefusesWhateverAByteOfASavedOneBecomes) {
  const History history = ReadHistories()[0];
  const absl::StatusOr<Chunk> chunk = ChunkOf(history.saved);
  for (size_t at = 0; at < chunk->body().size(); ++at) {
    for (const char byte : {'\x00', '\x01', '\x40', '\x7f', '\x80', '\xff'}) {
      std::string body(chunk->body());
      body[at] = byte;
      Document document("reader");
      if (!document.ApplyDocument(body).ok()) {
        EXPECT_EQ(document.changes().size(), 0u) << "what is refused changes nothing";
        continue;
      }
      EXPECT_EQ(HeadsOf(document), history.heads) << "at " << at;
      EXPECT_EQ(TextOf(document, "content"), history.text);
    }
  }
}

TEST(Document, TellsWhatChangesOfOthersDidToAText) {
  std::mt19937 random(3);
  for (const History& history : ReadHistories()) {
    if (history.changes.empty()) continue;
    Document document("reader");
    ASSERT_THAT(Apply(document, history.changes[0]), IsOk());
    document.Watch(document.Get("content")->id);
    std::string text;
    std::vector<std::string> rest(history.changes.begin() + 1, history.changes.end());
    ApplyShuffled(document, rest, random);
    for (const Document::TextChange& change : document.TakeTextChanges()) {
      text.replace(change.at.bytes, change.deleted.bytes, change.inserted);
    }
    EXPECT_EQ(text, history.text);
  }
}

TEST(Document, RefusesEveryCutOfAChange) {
  const History history = ReadHistories()[0];
  const std::string& change = history.changes[1];
  for (size_t size = 0; size < change.size(); ++size) {
    SCOPED_TRACE(size);
    Document document("reader");
    ASSERT_THAT(Apply(document, history.changes[0]), IsOk());
    EXPECT_FALSE(Apply(document, change.substr(0, size)).ok());
    EXPECT_EQ(document.changes().size(), 1u);
  }
}

// The body of `change` with another byte at `at`, in a chunk that is right.
std::string WithByte(std::string_view change, size_t at, char byte) {
  const absl::StatusOr<Chunk> chunk = ChunkOf(change);
  std::string body(chunk->body());
  body[at] = byte;
  std::string scratch;
  Sha256Hasher hasher;
  return ChangeChunk(body, HashOfChange(body, scratch, hasher));
}

TEST(Document, TakesOrRefusesWhateverAByteBecomes) {
  const History history = ReadHistories()[4];
  for (size_t change = 1; change < 6; ++change) {
    const size_t size = ChunkOf(history.changes[change])->body().size();
    for (size_t at = 0; at < size; ++at) {
      for (const char byte : {'\x00', '\x01', '\x02', '\x40', '\x7f', '\x80', '\xff'}) {
        Document document("reader");
        for (size_t i = 0; i < change; ++i)
          ASSERT_THAT(Apply(document, history.changes[i]), IsOk());
        const std::string text = TextOf(document, "content");
        const std::string other = WithByte(history.changes[change], at, byte);
        if (!Apply(document, other).ok()) {
          EXPECT_EQ(document.changes().size(), change);
          EXPECT_EQ(TextOf(document, "content"), text) << "what is refused changes nothing";
          EXPECT_THAT(Apply(document, history.changes[change]), IsOk());
          continue;
        }
        ASSERT_EQ(document.changes().size(), change + 1);
        EXPECT_EQ(document.ChunkOf(static_cast<uint32_t>(change)), other);
      }
    }
  }
}

TEST(Document, RefusesASecondChangeWithANumberOfItsActor) {
  Document one("same");
  const OpId text = *one.MakeText("content");
  one.Commit(1);
  Document two("same");
  ASSERT_THAT(two.MakeText("other"), IsOk());
  two.Commit(1);
  ASSERT_THAT(Apply(two, one.ChunkOf(0)), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(text.counter, 1u);
}

TEST(Document, WritesWhatNpmWrites) {
  // capture: {content: text}, made by npm @automerge/automerge 3.5.0 at 1700000000 by this actor.
  const History history = ReadHistories()[0];
  Document document(FromHex("00000000000000000000000000000001"));
  ASSERT_THAT(document.MakeText("content"), IsOk());
  document.Commit(1700000000);
  EXPECT_EQ(document.ChunkOf(0), history.changes[0]);
}

TEST(Document, ConvergesWithItsPeers) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Peers peers(2 + seed % 3, seed);
    peers.Run(120);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Document, KeepsAPersonsTypingInFewPieces) {
  Document document("one");
  const OpId text = *document.MakeText("content");
  for (uint32_t i = 0; i < 10000; ++i) {
    ASSERT_THAT(document.Splice(text, Unit::kUtf16, i, 0, "x"), IsOk());
    document.Commit(1);
  }
  for (uint32_t i = 10000; i-- > 5000;) {
    ASSERT_THAT(document.Splice(text, Unit::kUtf16, i, 1, ""), IsOk());
    document.Commit(1);
  }
  size_t pieces = 0;
  document.FindSequence(text)->ForEachPiece([&pieces](const Sequence::Piece&) { ++pieces; });
  EXPECT_LE(pieces, 8u);
  EXPECT_EQ(document.changes().size(), 15000u);
}

TEST(Document, RefusesEditsBeyondTheText) {
  Document document("one");
  const OpId text = *document.MakeText("content");
  ASSERT_THAT(document.Splice(text, Unit::kUtf16, 0, 0, "abc"), IsOk());
  EXPECT_THAT(document.Splice(text, Unit::kUtf16, 4, 0, "x"), StatusIs(StatusCode::kOutOfRange));
  EXPECT_THAT(document.Splice(text, Unit::kUtf16, 2, 2, "x"), StatusIs(StatusCode::kOutOfRange));
  EXPECT_THAT(document.Splice({}, Unit::kUtf16, 0, 0, "x"), StatusIs(StatusCode::kOutOfRange));
  EXPECT_EQ(TextOf(document, "content"), "abc");
}

}  // namespace
}  // namespace cursorwire::automerge
