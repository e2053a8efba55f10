// What a peer may send to do harm: it is refused, or costs no more than what it has sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/document_codec.h"
#include "crdt/automerge/sync_state.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/bytes/byte_writer.h"
#include "support/status_matchers.h"

namespace cursorwire::automerge {
namespace {

using absl::StatusCode;
using crdt::Unit;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

// A change of `actor` with these operations; actor 0 is its own, 1 the first of
// `head.other_actors`.
std::string Change(ChangeHead head, const std::vector<OpView>& ops) {
  OpWriter writer;
  for (const OpView& op : ops) writer.Append(op);
  head.columns = writer.Finish();
  ChangeWriter body;
  std::string scratch;
  Sha256Hasher hasher;
  const std::string_view bytes = body.Write(head);
  return ChangeChunk(bytes, HashOfChange(bytes, scratch, hasher));
}

ChangeHead After(const Document& document, std::string_view actor, uint64_t seq,
                 uint32_t start_op) {
  ChangeHead head{.actor = actor, .seq = seq, .start_op = start_op};
  head.deps.assign(document.heads().begin(), document.heads().end());
  return head;
}

absl::Status Give(Document& document, std::string_view bytes) {
  WaitingChanges waiting(document);
  const absl::Status status = waiting.Add(bytes);
  EXPECT_TRUE(!status.ok() || waiting.size() == 0);
  return status;
}

std::string ShownText(const Document& document) {
  const auto value = document.Get("content");
  const Sequence* const text = value ? document.FindSequence(value->id) : nullptr;
  return text == nullptr ? "none" : text->Text();
}

const OpView kMakeText{.map_key = "content", .action = Action::kMakeText};
constexpr OpId kText{.counter = 1, .actor = 0};

OpView Typed(uint32_t after, std::string_view character) {
  return {.object = kText,
          .element = {.counter = after, .actor = 0},
          .insert = true,
          .value = {ValueType::kString, character}};
}

// "abc" of one actor.
std::string Abc() {
  return Change({.actor = "aaaa"}, {kMakeText, Typed(1 - 1, "a"), Typed(2, "b"), Typed(3, "c")});
}

void ExpectSaved(const Document& document) {
  const absl::StatusOr<std::string> saved = document.Save();
  ASSERT_THAT(saved, IsOk());
  Document again("again");
  ASSERT_THAT(Give(again, *saved), IsOk());
  EXPECT_EQ(again.heads(), document.heads());
  EXPECT_EQ(ShownText(again), ShownText(document));
}

TEST(Hostile, ChangesThatADocumentCannotHoldAreSavedAsTheyCame) {
  const OpId b{.counter = 3, .actor = 1};
  const OpView plain{
      .object = {1, 1}, .element = b, .action = Action::kDelete, .predecessors = {&b, 1}};
  OpView with_value = plain;
  with_value.value = {ValueType::kString, "v"};
  OpView expanding = plain;
  expanding.expand = true;
  OpView named = plain;
  named.mark_name = "bold";
  OpView of_nothing = plain;
  of_nothing.predecessors = {};
  for (const OpView& op : {plain, with_value, expanding, named, of_nothing}) {
    Document document("reader");
    ASSERT_THAT(Give(document, Abc()), IsOk());
    ChangeHead head = After(document, "bbbb", 1, 5);
    head.other_actors = {"aaaa"};
    ASSERT_THAT(Give(document, Change(head, {op})), IsOk());
    ExpectSaved(document);
  }
}

TEST(Hostile, PredecessorsOutOfTheirOrderAreSavedAsTheyCame) {
  Document document("reader");
  const OpView set{.map_key = "k", .value = {ValueType::kTrue, ""}};
  ASSERT_THAT(Give(document, Change({.actor = "aaaa"}, {set})), IsOk());
  ASSERT_THAT(Give(document, Change({.actor = "bbbb"}, {set})), IsOk());
  const OpId both[] = {{1, 2}, {1, 1}};
  OpView over = set;
  over.predecessors = both;
  ChangeHead head = After(document, "cccc", 1, 2);
  head.other_actors = {"aaaa", "bbbb"};
  ASSERT_THAT(Give(document, Change(head, {over})), IsOk());
  ExpectSaved(document);
}

TEST(Hostile, IdsAreNotUsedAgainAfterTheLargestCounter) {
  Document document("reader");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  constexpr uint32_t kLargest = std::numeric_limits<uint32_t>::max();
  ASSERT_THAT(Give(document, Change(After(document, "aaaa", 2, kLargest), {Typed(4, "d")})),
              IsOk());
  EXPECT_THAT(Give(document, Change(After(document, "aaaa", 3, 3), {Typed(2, "x")})),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("ids its actor has used")));
  // And we have none left.
  EXPECT_THAT(document.MakeText("more"), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(document.Splice(document.Get("content")->id, Unit::kUtf16, 0, 0, "x"),
              StatusIs(StatusCode::kResourceExhausted));
  ExpectSaved(document);
}

// A run-length column of one run.
std::string RunOf(uint64_t rows, uint64_t value) {
  std::string column;
  crdt::AppendInt(column, static_cast<int64_t>(rows));
  crdt::AppendUint(column, value);
  return column;
}

TEST(Hostile, ADocumentHasNoMoreChangesThanOperations) {
  for (const uint64_t rows : {uint64_t{300000}, uint64_t{1} << 40}) {
    const std::string zeros = RunOf(rows, 0);
    const std::string ones = RunOf(rows, 1);
    DocumentHead head{.actors = {"a"}};
    head.changes = {{0x01, zeros}, {0x03, ones}, {0x13, zeros}};
    Document document("reader");
    EXPECT_THAT(document.ApplyDocument(WriteDocument(head, {})),
                StatusIs(StatusCode::kResourceExhausted));
  }
}

TEST(Hostile, ADocumentHasNoMoreOperationsThanItsBytesAllow) {
  constexpr uint64_t kRows = 2000000;
  const std::string zeros = RunOf(kRows, 0);
  const std::string ones = RunOf(kRows, 1);
  std::string booleans;
  crdt::AppendUint(booleans, 0);
  crdt::AppendUint(booleans, kRows);
  DocumentHead head{.actors = {"a"}};
  // Of nulls in a list, with much that is not known beside them, which deflates to nothing.
  const std::string unknown(1000000, '\0');
  head.operations = {{0x01, zeros},    {0x02, ones},  {0x11, zeros},
                     {0x13, ones},     {0x21, zeros}, {0x23, ones},
                     {0x34, booleans}, {0x42, ones},  {0x1000, unknown}};
  Document document("reader");
  EXPECT_THAT(document.ApplyDocument(WriteDocument(head, {})),
              StatusIs(StatusCode::kResourceExhausted));
}

TEST(Hostile, AChangeHasFewOperationsThatTakeNoBytes) {
  // Texts, and sets with one long key, as runs.
  const std::string key(1000, 'k');
  for (const OpView& op : {kMakeText, OpView{.map_key = key}}) {
    Document document("reader");
    const std::string change = Change({.actor = "aaaa"}, std::vector<OpView>(20000, op));
    EXPECT_LT(change.size(), 1200u);
    EXPECT_THAT(Give(document, change), StatusIs(StatusCode::kResourceExhausted));
    EXPECT_EQ(document.changes().size(), 0u);
    EXPECT_EQ(document.actors().size(), 1u);
  }
}

TEST(Hostile, TextsAndListsOfADocumentAreBounded) {
  Document document("reader");
  absl::Status status;
  for (uint64_t seq = 1; seq <= 20 && status.ok(); ++seq) {
    status = Give(document, Change(After(document, "aaaa", seq, static_cast<uint32_t>(seq * 1000)),
                                   std::vector<OpView>(1000, kMakeText)));
  }
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted, HasSubstr("texts and lists")));
}

TEST(Hostile, DepsAndActorsStandInTheirOrder) {
  Document document("reader");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  ChangeHead head = After(document, "bbbb", 1, 5);
  head.deps.push_back(head.deps[0]);
  EXPECT_THAT(Give(document, Change(head, {})), StatusIs(StatusCode::kInvalidArgument));
  head = After(document, "bbbb", 1, 5);
  head.other_actors = {"b", "a"};
  EXPECT_THAT(Give(document, Change(head, {})), StatusIs(StatusCode::kInvalidArgument));
}

TEST(Hostile, ARefusedChangeLeavesNoActors) {
  Document document("reader");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  const size_t actors = document.actors().size();
  ChangeHead head = After(document, "bbbb", 2, 5);  // 2: out of its order
  head.other_actors = {"aaaa", "cccc", "dddd"};
  EXPECT_THAT(Give(document, Change(head, {})), StatusIs(StatusCode::kInvalidArgument));
  head.seq = 1;
  OpView op = Typed(1, "x");
  op.element = {.counter = 2, .actor = 2};  // of cccc, who has made nothing
  EXPECT_THAT(Give(document, Change(head, {op})), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(document.actors().size(), actors);
}

TEST(Hostile, AnInsertionInsertsSomething) {
  for (const Action action : {Action::kDelete, Action::kIncrement}) {
    Document document("reader");
    ASSERT_THAT(Give(document, Abc()), IsOk());
    OpView op = Typed(4, "");
    op.action = action;
    EXPECT_THAT(Give(document, Change(After(document, "aaaa", 2, 5), {op})),
                StatusIs(StatusCode::kInvalidArgument));
  }
}

TEST(Hostile, WhatIsLoadedIsShownInTheOrderOfItsHistory) {
  Document document("writer");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  const std::string saved = *document.Save();
  crdt::ByteReader reader(saved);
  Sha256Hasher hasher;
  const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher);
  ASSERT_THAT(chunk, IsOk());
  const absl::StatusOr<DocumentHead> head = ReadDocument(chunk->body(), {});
  ASSERT_THAT(head, IsOk());
  // The same operations, those of the text the other way round.
  OpReader operations(head->operations, 1);
  std::vector<std::pair<OpId, OpView>> ops;
  OpView op;
  while (operations.Next(op)) ops.emplace_back(operations.id(), op);
  ASSERT_EQ(ops.size(), 4u);
  std::swap(ops[1], ops[3]);
  OpWriter writer(OpWriter::Form::kDocument);
  for (const auto& [id, operation] : ops) {
    writer.AppendWithoutPredecessors(operation);
    writer.AppendNoPredecessors(1);
    writer.AppendIds(id, 1);
  }
  DocumentHead other = *head;
  other.operations = writer.Finish();
  Document loaded("reader");
  ASSERT_THAT(loaded.Load(WriteDocument(other, {0})), IsOk());
  EXPECT_EQ(ShownText(loaded), "cba") << "nobody has looked yet";
  loaded.Watch(loaded.Get("content")->id);
  ASSERT_THAT(loaded.NeedHistory(), IsOk());
  EXPECT_EQ(ShownText(loaded), "abc");
  EXPECT_EQ(loaded.heads(), document.heads());
  const std::vector<Document::TextChange> changes = loaded.TakeTextChanges();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].deleted.bytes, 3u);
  EXPECT_EQ(changes[0].inserted, "abc");
}

TEST(Hostile, WhatIsLoadedAndWrongIsSavedAsItWas) {
  Document document("writer");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  const std::string saved = *document.Save();
  crdt::ByteReader reader(saved);
  Sha256Hasher hasher;
  const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher);
  std::string body(chunk->body());
  body[body.find(document.heads()[0].view())] ^= 1;
  Document loaded("reader");
  ASSERT_THAT(loaded.Load(body), IsOk());
  const std::string before = *loaded.Save();
  EXPECT_THAT(loaded.NeedHistory(), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(loaded.NeedHistory(), StatusIs(StatusCode::kDataLoss));
  EXPECT_EQ(*loaded.Save(), before);
  EXPECT_EQ(ShownText(loaded), "abc");
}

TEST(Hostile, ADocumentIsNotTakenWithFewerHeadsThanItHas) {
  Document document("writer");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  const std::string saved = *document.Save();
  crdt::ByteReader reader(saved);
  Sha256Hasher hasher;
  const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher);
  DocumentHead head = *ReadDocument(chunk->body(), {});
  head.heads.clear();
  Document reading("reader");
  EXPECT_THAT(reading.ApplyDocument(WriteDocument(head, {})), StatusIs(StatusCode::kDataLoss));
  EXPECT_EQ(reading.changes().size(), 0u);
}

TEST(Document, IsNotSavedWhileAnEditIsOpen) {
  Document document("writer");
  ASSERT_THAT(document.MakeText("content"), IsOk());
  EXPECT_THAT(document.Save(), StatusIs(StatusCode::kFailedPrecondition));
  document.Commit(1);
  EXPECT_THAT(document.Save(), IsOk());
}

TEST(Document, IsNotEditedByLines) {
  Document document("writer");
  const OpId text = *document.MakeText("content");
  EXPECT_THAT(document.Splice(text, Unit::kLines, 0, 0, "x"), StatusIs(StatusCode::kOutOfRange));
}

// A peer with a change that is refused here: both come to an end.
TEST(Hostile, AnExchangeEndsWhereAChangeIsRefused) {
  Document one("one");
  WaitingChanges of_one(one);
  ASSERT_THAT(one.MakeText("content"), IsOk());
  ASSERT_THAT(one.Splice(one.Get("content")->id, Unit::kUtf16, 0, 0, "0123456789"), IsOk());
  one.Commit(1);
  Document two("two", {.max_ops = 5});
  WaitingChanges of_two(two, {.max_ops = 5});
  SyncState from_one(one, of_one);
  SyncState from_two(two, of_two);
  int messages = 0;
  int refused = 0;
  for (bool quiet = false; !quiet && messages < 100;) {
    quiet = true;
    if (const auto message = from_one.Next()) {
      quiet = false;
      ++messages;
      refused += from_two.Receive(*message).ok() ? 0 : 1;
    }
    if (const auto message = from_two.Next()) {
      quiet = false;
      ++messages;
      ASSERT_THAT(from_one.Receive(*message), IsOk());
    }
  }
  EXPECT_LT(messages, 20);
  EXPECT_GE(refused, 1);
}

TEST(Hostile, AMessageHasFewFiltersAndHeads) {
  SyncMessage message;
  message.have.resize(16);
  EXPECT_THAT(ReadSyncMessage(WriteSyncMessage(message)), IsOk());
  message.have.resize(17);
  EXPECT_THAT(ReadSyncMessage(WriteSyncMessage(message)), StatusIs(StatusCode::kDataLoss));
  message.have.clear();
  message.heads.resize(10001);
  EXPECT_THAT(ReadSyncMessage(WriteSyncMessage(message)), StatusIs(StatusCode::kDataLoss));
}

TEST(Hostile, WhatAWaitingChangeDependsOnCounts) {
  Document document("reader");
  ChangeHead head{.actor = "aaaa"};
  head.deps.resize(2);
  head.deps[1].bytes[0] = 1;
  const std::string change = Change(head, {});
  WaitingChanges enough(document, {}, {.max_bytes = 1000});
  ASSERT_THAT(enough.Add(change), IsOk());
  EXPECT_EQ(enough.size(), 1u);
  WaitingChanges few(document, {}, {.max_bytes = change.size() + 10});
  ASSERT_THAT(few.Add(change), IsOk());
  EXPECT_EQ(few.size(), 0u);
}

TEST(Hostile, ManyValuesOfOneElementAreShownAndHiddenInTheirOrder) {
  Document document("reader");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  // 900 values of "b", of which the last is shown, then all of them are overwritten.
  std::vector<OpView> ops(900, OpView{.object = kText,
                                      .element = {.counter = 3, .actor = 0},
                                      .value = {ValueType::kString, "x"}});
  ops.back().value.bytes = "last";
  ASSERT_THAT(Give(document, Change(After(document, "aaaa", 2, 5), ops)), IsOk());
  EXPECT_EQ(ShownText(document), "alastc");
  std::vector<OpId> all{{3, 0}};
  for (uint32_t counter = 5; counter < 905; ++counter) all.push_back({counter, 0});
  OpView over = ops[0];
  over.value.bytes = "B";
  over.predecessors = all;
  ASSERT_THAT(Give(document, Change(After(document, "aaaa", 3, 905), {over})), IsOk());
  EXPECT_EQ(ShownText(document), "aBc");
  ExpectSaved(document);
}

TEST(Hostile, ADocumentThatIsLoadedHasNoMoreActorsThanItMay) {
  const DocumentHead head{.actors = {"a", "b", "c"}};
  Document few("reader", {.max_actors = 2});
  EXPECT_THAT(few.Load(WriteDocument(head, {})), StatusIs(StatusCode::kResourceExhausted));
  Document enough("reader", {.max_actors = 4});
  EXPECT_THAT(enough.Load(WriteDocument(head, {})), IsOk());
}

}  // namespace
}  // namespace cursorwire::automerge
