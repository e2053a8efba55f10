#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/bloom_filter.h"
#include "crdt/automerge/sync_message.h"
#include "crdt/automerge/sync_state.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/support/histories.h"
#include "support/hex.h"
#include "support/source_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::automerge {
namespace {

using absl::StatusCode;
using crdt::Unit;
using test::FromHex;
using test::IsOk;
using test::ReadHistories;
using test::StatusIs;

std::vector<std::string> GoldenMessages() {
  std::vector<std::string> messages;
  std::ifstream file(test::SourceFolder() + "/tests/golden/automerge_sync.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with('#')) messages.push_back(FromHex(line));
  }
  EXPECT_EQ(messages.size(), 21u);
  return messages;
}

TEST(SyncMessage, IsWrittenAsItWasRead) {
  size_t with_changes = 0;
  for (const std::string& bytes : GoldenMessages()) {
    const absl::StatusOr<SyncMessage> message = ReadSyncMessage(bytes);
    ASSERT_THAT(message, IsOk());
    EXPECT_EQ(WriteSyncMessage(*message), bytes);
    if (!message->changes.empty()) ++with_changes;
  }
  EXPECT_GT(with_changes, 3u);
}

TEST(SyncMessage, OfAnEmptyDocumentAtTheStart) {
  Document document("me");
  WaitingChanges waiting(document);
  SyncState state(document, waiting);
  EXPECT_EQ(WriteSyncMessage(*state.Next()), FromHex("42 00 00 01 00 00 00"));
  EXPECT_EQ(state.Next(), std::nullopt);
}

TEST(SyncMessage, RefusesEveryCut) {
  for (const std::string& bytes : GoldenMessages()) {
    const absl::StatusOr<SyncMessage> whole = ReadSyncMessage(bytes);
    const size_t flags = whole->flags ? whole->flags->size() + 1 : 0;
    for (size_t size = 0; size < bytes.size(); ++size) {
      if (size == bytes.size() - flags) continue;  // without flags it is whole
      EXPECT_FALSE(ReadSyncMessage(std::string_view(bytes).substr(0, size)).ok()) << size;
    }
  }
}

TEST(SyncMessage, RefusesWhatIsNone) {
  EXPECT_THAT(ReadSyncMessage(FromHex("41 00 00 01 00 00 00")),
              StatusIs(StatusCode::kInvalidArgument));
  // 2^40 hashes; 2^40 changes.
  EXPECT_THAT(ReadSyncMessage(FromHex("42 8080808080 20")), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(ReadSyncMessage(FromHex("42 00 00 00 8080808080 20")),
              StatusIs(StatusCode::kDataLoss));
  // A filter of 2^28 bits; of 17 probes; of another length.
  EXPECT_THAT(ReadSyncMessage(FromHex("42 00 00 01 00 07 80808001 8001 07 00")),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(ReadSyncMessage(FromHex("42 00 00 01 00 05 01 0a 11 0000 00")),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(ReadSyncMessage(FromHex("42 00 00 01 00 04 01 0a 07 00 00")),
              StatusIs(StatusCode::kInvalidArgument));
}

// A document of which each key is a change of its own, for a peer that has nothing of it.
TEST(SyncMessage, HasMoreThanAHundredThousandChanges) {
  constexpr size_t kChanges = 100'500;
  SyncMessage message;
  size_t bytes = 0;
  for (size_t i = 0; i < kChanges; ++i) {
    const std::string change(50 + i % 100, static_cast<char>(i));
    bytes += change.size();
    message.changes.push_back(change);
  }
  const absl::StatusOr<SyncMessage> read = ReadSyncMessage(WriteSyncMessage(message));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->changes.size(), kChanges);
  size_t i = 0;
  for (const std::string_view change : read->changes) {
    ASSERT_EQ(change, std::string(50 + i % 100, static_cast<char>(i)));
    ++i;
  }
  EXPECT_EQ(i, kChanges);
  EXPECT_LE(read->changes.bytes().size(), bytes + 2 * kChanges);
}

// The first two changes of a recorded document.
constexpr const char* kTwoHashes[] = {
    "1138d0d594fd7c92ab91f138057c355dc179f8cfe7300a636160f23bee3247e7",
    "0c6424eb6f1ac7f2ee2b00fde8b7938ad9beaa56cb036e003f89c6d4f1134671"};

TEST(BloomFilter, HasTheBitsOfNpm) {
  std::vector<ChangeHash> hashes;
  for (const std::string& bytes : GoldenMessages()) {
    const absl::StatusOr<SyncMessage> message = ReadSyncMessage(bytes);
    for (const SyncMessage::Have& have : message->have) {
      const std::string written = have.filter.Write();
      const absl::StatusOr<BloomFilter> again = BloomFilter::Read(written);
      ASSERT_THAT(again, IsOk());
      EXPECT_EQ(again->Write(), written);
    }
  }
  for (const char* hex : kTwoHashes) hashes.push_back(ChangeHash::From(FromHex(hex)));
  const BloomFilter filter(hashes);
  EXPECT_EQ(filter.Write(), FromHex("02 0a 07 19691a"));
  for (const ChangeHash& hash : hashes) EXPECT_TRUE(filter.MayContain(hash));
  EXPECT_FALSE(BloomFilter().MayContain(hashes[0]));
}

TEST(BloomFilter, SeldomSaysWhatIsNotSo) {
  std::mt19937 random(1);
  std::vector<ChangeHash> hashes(2000);
  for (ChangeHash& hash : hashes) {
    for (uint8_t& byte : hash.bytes) byte = static_cast<uint8_t>(random());
  }
  const BloomFilter filter(std::span<const ChangeHash>(hashes).first(1000));
  for (size_t i = 0; i < 1000; ++i) EXPECT_TRUE(filter.MayContain(hashes[i]));
  const auto wrong =
      std::count_if(hashes.begin() + 1000, hashes.end(),
                    [&filter](const ChangeHash& hash) { return filter.MayContain(hash); });
  EXPECT_LT(wrong, 40);
}

TEST(WaitingChanges, TakeAHistoryInAnyOrder) {
  std::mt19937 random(2);
  for (const test::History& history : ReadHistories()) {
    if (history.changes.empty()) continue;
    std::vector<std::string> changes = history.changes;
    for (int round = 0; round < 10; ++round) {
      std::shuffle(changes.begin(), changes.end(), random);
      Document document("reader");
      WaitingChanges waiting(document);
      for (const std::string& change : changes) {
        ASSERT_THAT(waiting.Add(change), IsOk());
        ASSERT_THAT(waiting.Add(change), IsOk()) << "twice";
      }
      EXPECT_EQ(waiting.size(), 0u);
      EXPECT_EQ(document.FindSequence(document.Get("content")->id)->Text(), history.text);
    }
  }
}

TEST(WaitingChanges, DropTheOldestAboveTheirLimit) {
  const test::History history = ReadHistories()[0];
  Document document("reader");
  WaitingChanges waiting(document, {}, {.max_changes = 3});
  for (size_t i = 1; i < history.changes.size(); ++i)
    ASSERT_THAT(waiting.Add(history.changes[i]), IsOk());
  EXPECT_EQ(waiting.size(), 3u);
  // What they lack is asked for.
  std::vector<ChangeHash> heads;
  for (const std::string& head : history.heads) heads.push_back(ChangeHash::From(head));
  EXPECT_FALSE(waiting.MissingFor(heads).empty());
  for (const std::string& change : history.changes) ASSERT_THAT(waiting.Add(change), IsOk());
  EXPECT_EQ(document.changes().size(), history.changes.size());
}

TEST(WaitingChanges, TakeADocumentWithWhatWaits) {
  const test::History history = ReadHistories()[0];
  Document document("reader");
  WaitingChanges waiting(document);
  Document other("other");
  WaitingChanges of_other(other);
  ASSERT_THAT(of_other.Add(history.saved), IsOk());
  ASSERT_THAT(other.Splice(other.Get("content")->id, Unit::kUtf16, 0, 0, "new "), IsOk());
  other.Commit(1);
  ASSERT_THAT(waiting.Add(other.ChunkOf(static_cast<uint32_t>(other.changes().size()) - 1)),
              IsOk());
  EXPECT_EQ(waiting.size(), 1u);
  ASSERT_THAT(waiting.Add(history.saved), IsOk());
  EXPECT_EQ(waiting.size(), 0u);
  EXPECT_EQ(document.heads(), other.heads());
}

// Documents that exchange messages, each over a connection with each other one.
class Net {
 public:
  Net(size_t count, uint32_t seed) : random_(seed) {
    for (size_t i = 0; i < count; ++i) {
      peers_.push_back(std::make_unique<Peer>("peer" + std::to_string(i)));
    }
    EXPECT_THAT(peers_[0]->document.MakeText("content"), IsOk());
    peers_[0]->document.Commit(1);
    for (size_t from = 0; from < count; ++from) {
      for (size_t to = from + 1; to < count; ++to) Connect(from, to);
    }
  }

  void Run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      switch (Random(8)) {
        case 0:
          Edit(*peers_[Random(peers_.size())]);
          break;
        case 1:
          if (Random(6) == 0) Reconnect(*links_[Random(links_.size())]);
          break;
        default:
          Step(*links_[Random(links_.size())]);
      }
    }
  }

  // Until nobody has anything to say.
  void Settle() {
    for (int rounds = 0; rounds < 1000; ++rounds) {
      bool quiet = true;
      for (const auto& link : links_) quiet = !Step(*link) && quiet;
      if (quiet) return;
    }
    ADD_FAILURE() << "they do not come to an end";
  }

  void ExpectSame() const {
    for (const auto& peer : peers_) {
      EXPECT_EQ(peer->document.heads(), peers_[0]->document.heads());
      EXPECT_EQ(Text(*peer), Text(*peers_[0]));
      EXPECT_EQ(peer->waiting.size(), 0u);
    }
  }

 private:
  struct Peer {
    explicit Peer(const std::string& name) : document(name), waiting(document) {}

    Document document;
    WaitingChanges waiting;
  };
  struct End {
    Peer* peer;
    std::optional<SyncState> state;
    std::deque<std::string> in;
  };
  struct Link {
    End a;
    End b;
  };

  template <typename T>
  T Random(T end) {
    return static_cast<T>(random_() % static_cast<uint64_t>(end));
  }

  void Connect(size_t a, size_t b) {
    links_.push_back(std::make_unique<Link>());
    links_.back()->a.peer = peers_[a].get();
    links_.back()->b.peer = peers_[b].get();
    Reconnect(*links_.back());
  }

  static void Reconnect(Link& link) {
    for (End* end : {&link.a, &link.b}) {
      end->in.clear();
      end->state.emplace(end->peer->document, end->peer->waiting);
    }
  }

  static std::string Text(const Peer& peer) {
    const auto value = peer.document.Get("content");
    return value ? peer.document.FindSequence(value->id)->Text() : "";
  }

  void Edit(Peer& peer) {
    const auto value = peer.document.Get("content");
    if (!value) return;
    const uint32_t size = peer.document.FindSequence(value->id)->size().code_points;
    const uint32_t at = Random(size + 1);
    const uint32_t count = Random(3) == 0 ? std::min(size - at, 2U) : 0;
    ASSERT_THAT(peer.document.Splice(value->id, Unit::kCodePoints, at, count, "ab"), IsOk());
    peer.document.Commit(1);
  }

  // One message each way; false if there was none.
  static bool Step(Link& link) {
    const bool a = Send(link.a, link.b);
    const bool b = Send(link.b, link.a);
    const bool c = Take(link.a);
    return Take(link.b) || a || b || c;
  }
  static bool Send(End& from, End& to) {
    const std::optional<SyncMessage> message = from.state->Next();
    if (!message) return false;
    EXPECT_FALSE(from.state->Next()) << "until they answer";
    to.in.push_back(WriteSyncMessage(*message));
    return true;
  }
  static bool Take(End& end) {
    if (end.in.empty()) return false;
    const absl::StatusOr<SyncMessage> message = ReadSyncMessage(end.in.front());
    end.in.pop_front();
    EXPECT_THAT(message, IsOk());
    EXPECT_THAT(end.state->Receive(*message), IsOk());
    return true;
  }

  std::mt19937 random_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<std::unique_ptr<Link>> links_;
};

TEST(SyncState, LeadsPeersToTheSameDocument) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Net net(2 + seed % 4, seed);
    net.Run(300);
    net.Settle();
    net.ExpectSame();
    if (::testing::Test::HasFailure()) return;
  }
}

// Two documents, one of which says that it has everything.
TEST(SyncState, IsRepairedWhereAFilterIsWrong) {
  Document one("one");
  WaitingChanges of_one(one);
  ASSERT_THAT(one.MakeText("content"), IsOk());
  one.Commit(1);
  ASSERT_THAT(one.Splice(one.Get("content")->id, Unit::kUtf16, 0, 0, "text"), IsOk());
  one.Commit(1);
  Document two("two");
  WaitingChanges of_two(two);
  SyncState from_one(one, of_one);
  SyncState from_two(two, of_two);

  SyncMessage lie = *from_two.Next();
  lie.have[0].filter = *BloomFilter::Read(FromHex("01 08 07 ff"));
  ASSERT_THAT(from_one.Receive(lie), IsOk());
  std::optional<SyncMessage> answer = from_one.Next();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->changes.empty());
  for (int i = 0; i < 4 && answer; ++i) {
    ASSERT_THAT(from_two.Receive(*answer), IsOk());
    const std::optional<SyncMessage> question = from_two.Next();
    if (!question) break;
    ASSERT_THAT(from_one.Receive(*question), IsOk());
    answer = from_one.Next();
  }
  EXPECT_EQ(two.heads(), one.heads());
  EXPECT_TRUE(from_two.has_all_of_peer());
}

TEST(SyncState, BeginsAnewWithAPeerThatHasLostEverything) {
  Document one("one");
  WaitingChanges of_one(one);
  ASSERT_THAT(one.MakeText("content"), IsOk());
  one.Commit(1);
  Document two("two");
  WaitingChanges of_two(two);
  SyncState from_one(one, of_one);
  {
    SyncState from_two(two, of_two);
    ASSERT_THAT(from_one.Receive(*from_two.Next()), IsOk());
    ASSERT_THAT(from_two.Receive(*from_one.Next()), IsOk());
    ASSERT_THAT(from_one.Receive(*from_two.Next()), IsOk());
  }
  ASSERT_EQ(two.heads(), one.heads());
  EXPECT_EQ(from_one.Next(), std::nullopt);
  Document three("three");
  WaitingChanges of_three(three);
  SyncState from_three(three, of_three);
  ASSERT_THAT(from_one.Receive(*from_three.Next()), IsOk());
  const std::optional<SyncMessage> again = from_one.Next();
  ASSERT_TRUE(again);
  ASSERT_THAT(from_three.Receive(*again), IsOk());
  EXPECT_EQ(three.heads(), one.heads());
}

// The exchange of a recorded client that sends no flags: documents in version 2 are taken too.
TEST(SyncState, TakesWhatNpmHasSent) {
  size_t documents = 0;
  for (const std::string& bytes : GoldenMessages()) {
    const absl::StatusOr<SyncMessage> message = ReadSyncMessage(bytes);
    if (message->version != 2 || message->changes.empty()) continue;
    Document document("reader");
    WaitingChanges waiting(document);
    SyncState state(document, waiting);
    ASSERT_THAT(state.Receive(*message), IsOk());
    if (state.has_all_of_peer()) {
      EXPECT_EQ(document.heads(), message->heads);
      ++documents;
    }
  }
  EXPECT_GE(documents, 2u);
}

}  // namespace
}  // namespace cursorwire::automerge
