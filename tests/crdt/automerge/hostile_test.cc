// What a peer may send to do harm: it is refused, or costs no more than what it has sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
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
#include "crdt/automerge/document_history.h"
#include "crdt/automerge/sync_state.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/automerge/work_budget.h"
#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"
#include "support/status_matchers.h"
#include "wire/gzip.h"

namespace cursorwire::automerge {
namespace {

using absl::StatusCode;
using crdt::Unit;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(Hostile, AMessageHasAsManyChangesAsADocument) {
  const auto message_of = [](uint64_t count) {
    std::string bytes("\x42\0\0\0", 4);
    crdt::AppendUint(bytes, count);
    return bytes + std::string(static_cast<size_t>(count), '\0');  // empty ones
  };
  EXPECT_THAT(ReadSyncMessage(message_of(5'000'000)), IsOk());
  EXPECT_THAT(ReadSyncMessage(message_of(5'000'001)), StatusIs(StatusCode::kDataLoss));
  std::string cut = message_of(5'000'000);
  cut.pop_back();
  EXPECT_THAT(ReadSyncMessage(cut), StatusIs(StatusCode::kDataLoss));
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

// --- what one message of a peer may cost

// The text of one actor as a document, typed at once.
std::string DocumentOf(std::string_view actor, size_t characters) {
  Document document(actor);
  EXPECT_THAT(document.MakeText("content"), IsOk());
  const std::string text(characters, 'a');
  EXPECT_THAT(document.Splice(document.Get("content")->id, Unit::kUtf16, 0, 0, text), IsOk());
  document.Commit(1);
  return *document.Save();
}

// The body of a chunk of a document.
std::string BodyOf(const std::string& saved) {
  crdt::ByteReader reader(saved);
  Sha256Hasher hasher;
  return std::string(TakeChunk(reader, hasher)->body());
}

std::string ChunkOf(const DocumentHead& head) {
  Sha256Hasher hasher;
  return DocumentChunk(WriteDocument(head, {}), hasher);
}

// A document that is not what its heads say.
std::string WithWrongHead(const std::string& saved) {
  const std::string body = BodyOf(saved);
  DocumentHead head = *ReadDocument(body, {});
  head.heads[0].bytes[0] ^= 1;
  return ChunkOf(head);
}

// 1,000 characters, and changes of others that delete them all: each has 2,000 rows in few bytes.
struct ManyDeletes {
  ManyDeletes() : document("writer") {
    EXPECT_THAT(Give(document, DocumentOf("aaaa", 1000)), IsOk());
  }
  std::string By(std::string_view actor) const {
    OpWriter writer;
    writer.AppendDeletes({1, 1}, {2, 1}, 1, 1000);
    ChangeHead head = After(document, actor, 1, 1002);
    head.other_actors = {"aaaa"};
    head.columns = writer.Finish();
    ChangeWriter body;
    std::string scratch;
    Sha256Hasher hasher;
    const std::string_view bytes = body.Write(head);
    return ChangeChunk(bytes, HashOfChange(bytes, scratch, hasher));
  }
  Document document;
};

struct Receiver {
  explicit Receiver(const WorkLimits& limits = {}) : state(document, waiting, limits) {}
  absl::Status Take(const std::vector<std::string>& changes) {
    SyncMessage message;
    for (const std::string& change : changes) message.changes.push_back(change);
    return state.Receive(message);
  }
  bool has_text() const { return document.Get("content").has_value(); }

  Document document{"reader"};
  WaitingChanges waiting{document};
  SyncState state;
};

TEST(Hostile, AMessageEndsAtADocumentThatIsRefused) {
  Receiver receiver;
  const std::string wrong = WithWrongHead(DocumentOf("aaaa", 3));
  EXPECT_THAT(receiver.Take({wrong, Abc()}), StatusIs(StatusCode::kDataLoss));
  EXPECT_TRUE(receiver.state.was_cut());
  EXPECT_FALSE(receiver.has_text());
  EXPECT_THAT(receiver.Take({Abc()}), IsOk());
  EXPECT_FALSE(receiver.state.was_cut());
  EXPECT_TRUE(receiver.has_text());
}

TEST(Hostile, ChangesThatDependOnNothingAreMoreWorkTheMoreThereAre) {
  const auto take = [](uint64_t count) {
    Receiver receiver({.sure = 1000, .of_byte = 0});
    std::vector<std::string> changes;
    for (uint64_t i = 0; i < count; ++i) {
      changes.push_back(Change({.actor = "bbbb", .seq = i + 1, .start_op = 1}, {}));
    }
    (void)receiver.Take(changes);
    return receiver.document.heads().size();
  };
  EXPECT_EQ(take(100), 100U);
  EXPECT_LT(take(600), 400U);
}

// A document chunk of so many changes that depend on nothing, and of one more that merges them.
std::string MergedAtOnce(uint32_t count) {
  Document source("a");
  const OpId text = *source.MakeText("content");
  source.Commit(0);
  for (uint32_t i = 1; i < count; ++i) {
    EXPECT_THAT(source.Splice(text, Unit::kCodePoints, i - 1, 0, "a"), IsOk());
    source.Commit(0);
  }
  const std::string saved = *source.Save();
  Sha256Hasher hasher;
  crdt::ByteReader reader(saved);
  const std::string body((*TakeChunk(reader, hasher, {})).body());
  DocumentHead document = *ReadDocument(body, {});
  ChangeRowWriter rows;
  ChangeRow merge{.seq = uint64_t{count} + 1, .max_op = count};
  for (uint32_t i = 0; i < count; ++i) {
    rows.Append({.seq = uint64_t{i} + 1, .max_op = i + 1});
    merge.deps.push_back(i);
  }
  rows.Append(merge);
  document.changes = rows.Finish();
  const auto note = [&document](const Chunk& change) {
    document.heads = {change.hash};
    return absl::OkStatus();
  };
  EXPECT_THAT(ForEachChange(document, {}, nullptr, note), IsOk());
  return DocumentChunk(WriteDocument(document, std::vector<uint32_t>{count}), hasher);
}

TEST(Hostile, ADocumentOfChangesThatDependOnNothingIsMoreWorkTheMoreThereAre) {
  const auto least_work = [](uint32_t count) {
    const std::string document = MergedAtOnce(count);
    uint64_t too_little = 0;
    uint64_t enough = 10'000'000;
    while (enough - too_little > 1) {
      const uint64_t work = too_little + (enough - too_little) / 2;
      Receiver receiver({.sure = work, .of_byte = 0});
      (receiver.Take({document}).ok() ? enough : too_little) = work;
    }
    return enough;
  };
  EXPECT_GT(least_work(2'000), 8 * least_work(400));
}

TEST(Hostile, EachDocumentOfAMessageIsWorkBesideManyHeads) {
  const auto least_work = [](size_t documents) {
    uint64_t too_little = 0;
    uint64_t enough = 10'000'000;
    while (enough - too_little > 1) {
      const uint64_t work = too_little + (enough - too_little) / 2;
      Receiver receiver({.sure = work, .of_byte = 0});
      std::vector<std::string> message;
      for (uint64_t i = 0; i < 320; ++i) {
        message.push_back(Change({.actor = "bbbb", .seq = i + 1, .start_op = 1}, {}));
      }
      Sha256Hasher hasher;
      const std::string empty = DocumentChunk(WriteDocument({}, {}), hasher);
      message.insert(message.end(), documents, empty);
      (receiver.Take(message).ok() ? enough : too_little) = work;
    }
    return enough;
  };
  EXPECT_GE(least_work(100), least_work(0) + 100 * 320 / kHeadsOfWork);
}

TEST(Hostile, ALongTextThatIsShownAgainAndAgainIsToldOnce) {
  constexpr size_t kLength = 100'000;
  Document document("reader");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  const OpId text = document.Get("content")->id;
  document.Watch(text);
  std::string shown = ShownText(document);
  const std::string value(kLength, 'v');
  std::vector<OpView> ops{{.object = kText,
                           .element = {.counter = 2, .actor = 0},
                           .value = {ValueType::kString, value}}};
  std::vector<OpId> short_ones(50);
  for (uint32_t i = 0; i < short_ones.size(); ++i) {
    const OpView one{
        .object = kText, .element = {.counter = 2, .actor = 0}, .value = {ValueType::kString, "b"}};
    short_ones[i] = {.counter = 6 + 2 * i, .actor = 1};
    OpView gone = one;
    gone.value = {};
    gone.action = Action::kDelete;
    gone.predecessors = {&short_ones[i], 1};
    ops.push_back(one);
    ops.push_back(gone);
  }
  ChangeHead head = After(document, "bbbb", 1, 5);
  head.other_actors = {"aaaa"};
  for (OpView& op : ops) {
    op.object.actor = 1;
    op.element.actor = 1;
  }
  for (OpId& id : short_ones) id.actor = 0;
  ASSERT_THAT(Give(document, Change(head, ops)), IsOk());
  size_t told = 0;
  for (const Document::TextChange& change : document.TakeTextChanges()) {
    told += change.inserted.size();
    shown.replace(change.at.bytes, change.deleted.bytes, change.inserted);
  }
  EXPECT_EQ(shown, ShownText(document));
  EXPECT_LT(told, 2 * kLength);
  EXPECT_FALSE(document.has_text_changes());
}

TEST(Hostile, AnObjectInTwoPlacesOfAFileIsLoadedFromItsHistory) {
  OpWriter writer(OpWriter::Form::kDocument);
  uint32_t counter = 1;
  const auto add = [&](OpView op) {
    writer.AppendWithoutPredecessors(op);
    writer.AppendIds({counter++, 0}, 1);
    writer.AppendNoPredecessors(1);
  };
  add(kMakeText);
  add({.map_key = "other", .action = Action::kMakeText});
  const auto add_empty = [&](uint32_t object) {
    add({.object = {object, 0}, .insert = true, .value = {ValueType::kString, ""}});
  };
  for (int i = 0; i < 3; ++i) {
    add_empty(1);
    add_empty(2);
  }
  ChangeRowWriter rows;
  rows.Append({.seq = 1, .max_op = counter - 1});
  DocumentHead written{.actors = {"aaaa"}, .operations = writer.Finish()};
  written.changes = rows.Finish();
  const auto note = [&written](const Chunk& change) {
    written.heads = {change.hash};
    return absl::OkStatus();
  };
  ASSERT_THAT(ForEachChange(written, {}, nullptr, note), IsOk());
  Document document("reader");
  ASSERT_THAT(document.Load(WriteDocument(written, std::vector<uint32_t>{0})), IsOk());
  EXPECT_EQ(document.changes().size(), 1U) << "its history is here already";
  EXPECT_EQ(document.heads(), written.heads);
}

TEST(Hostile, ALongKeyOfManyOperationsOfAFileIsRefused) {
  const std::string key(100'000, 'k');
  for (const uint32_t object : {0U, 1U}) {
    OpWriter writer(OpWriter::Form::kDocument);
    constexpr uint32_t kRows = 2'000;
    uint32_t counter = 1;
    const auto add = [&](const OpView& op) {
      writer.AppendWithoutPredecessors(op);
      writer.AppendIds({counter++, 0}, 1);
      writer.AppendNoPredecessors(1);
    };
    add({.map_key = "map", .action = Action::kMakeMap});
    for (uint32_t i = 0; i < kRows; ++i) {
      add({.object = object == 0 ? OpId() : OpId{object, 0}, .map_key = key});
    }
    ChangeRowWriter rows;
    rows.Append({.seq = 1, .max_op = counter - 1});
    DocumentHead written{.actors = {"aaaa"},
                         .heads = {ChangeHash::From(std::string(32, 'h'))},
                         .operations = writer.Finish()};
    written.changes = rows.Finish();
    Document document("reader");
    EXPECT_THAT(document.Load(WriteDocument(written, std::vector<uint32_t>{0})),
                StatusIs(StatusCode::kResourceExhausted))
        << object;
  }
}

TEST(Hostile, HeadsOfADocumentThatMergesManyAreRight) {
  Document document("reader");
  ASSERT_THAT(Give(document, Abc()), IsOk());
  const ChangeHash other = document.heads()[0];
  ASSERT_THAT(Give(document, MergedAtOnce(200)), IsOk());
  EXPECT_EQ(document.heads().size(), 2U);
  EXPECT_THAT(document.heads(), ::testing::Contains(other));
  EXPECT_TRUE(std::is_sorted(document.heads().begin(), document.heads().end()));
  ASSERT_THAT(Give(document, Change(After(document, "cccc", 1, 300), {})), IsOk());
  EXPECT_EQ(document.heads().size(), 1U);
  ExpectSaved(document);
}

TEST(Hostile, AMessageGoesOnAfterAChangeThatIsRefused) {
  Receiver receiver;
  const std::string wrong = Change({.actor = "bbbb"}, {Typed(9, "x")});
  EXPECT_THAT(receiver.Take({wrong, Abc()}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_FALSE(receiver.state.was_cut());
  EXPECT_TRUE(receiver.has_text());
}

TEST(Hostile, ADocumentWhoseHeadsAreHereIsNotMadeAgain) {
  const std::string saved = DocumentOf("aaaa", 3);
  Receiver receiver;
  ASSERT_THAT(receiver.Take({saved}), IsOk());
  const std::string body = BodyOf(saved);
  DocumentHead head = *ReadDocument(body, {});
  head.operations.clear();
  EXPECT_THAT(receiver.Take({ChunkOf(head)}), IsOk());
  // One that names no heads could have anything in it.
  head.heads.clear();
  EXPECT_THAT(receiver.Take({ChunkOf(head)}), Not(IsOk()));
}

TEST(Hostile, AMessageOfFewBytesHasFewRowsOfDocuments) {
  // Each counts as 8 rows of changes.
  const std::string one = DocumentOf("aaaa", 1000);
  const std::string two = DocumentOf("bbbb", 1000);
  Receiver few({.sure = 7000, .of_byte = 1});
  EXPECT_THAT(few.Take({one}), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_TRUE(few.state.was_cut());
  EXPECT_FALSE(few.has_text());
  Receiver enough({.sure = 9000, .of_byte = 1});
  EXPECT_THAT(enough.Take({one, two}), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_TRUE(enough.state.was_cut());
  EXPECT_EQ(enough.document.changes().ChangesOf(*enough.document.actors().Find("aaaa")).size(), 1u);
  EXPECT_FALSE(enough.document.actors().Find("bbbb"));
  // What was used up comes back with the bytes of later messages alone.
  EXPECT_THAT(enough.Take({two}), StatusIs(StatusCode::kResourceExhausted));
  // A file of one's own has more.
  EXPECT_THAT(enough.waiting.Add(two), IsOk());
}

TEST(Hostile, AMessageOfFewBytesHasFewRowsOfChanges) {
  const ManyDeletes deletes;
  Receiver receiver({.sure = 5000, .of_byte = 1});
  ASSERT_THAT(receiver.waiting.Add(*deletes.document.Save()), IsOk());
  const std::vector<std::string> changes = {deletes.By("bbbb"), deletes.By("cccc"),
                                            deletes.By("dddd"), deletes.By("eeee")};
  EXPECT_THAT(receiver.Take(changes), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_TRUE(receiver.state.was_cut());
  EXPECT_EQ(receiver.document.heads().size(), 2u);
  ExpectSaved(receiver.document);
  Receiver enough({.sure = 8000, .of_byte = 1});
  ASSERT_THAT(enough.waiting.Add(*deletes.document.Save()), IsOk());
  EXPECT_THAT(enough.Take(changes), IsOk());
}

TEST(Hostile, ChangesThatAreRefusedCountToo) {
  const ManyDeletes deletes;
  Receiver receiver({.sure = 5000, .of_byte = 1});
  ASSERT_THAT(receiver.waiting.Add(*deletes.document.Save()), IsOk());
  OpWriter writer;
  writer.AppendDeletes({1, 1}, {2, 1}, 1, 1000);
  writer.AppendDeletes({1, 1}, {2000, 1}, 1, 1);  // of what is not there
  ChangeHead head = After(deletes.document, "bbbb", 1, 3000);
  head.other_actors = {"aaaa"};
  head.columns = writer.Finish();
  ChangeWriter body;
  std::string scratch;
  Sha256Hasher hasher;
  const std::string bytes(body.Write(head));
  const std::string wrong = ChangeChunk(bytes, HashOfChange(bytes, scratch, hasher));
  EXPECT_THAT(receiver.Take({wrong, wrong}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_FALSE(receiver.state.was_cut());
  EXPECT_FALSE(receiver.Take({wrong, deletes.By("cccc")}).ok());
  EXPECT_TRUE(receiver.state.was_cut());
  EXPECT_EQ(receiver.document.heads(), deletes.document.heads());
}

TEST(Hostile, ChangesThatHaveWaitedCountWhenTheyAreApplied) {
  const ManyDeletes deletes;
  // They wait for this one.
  ManyDeletes later;
  const std::string awaited = Change(After(later.document, "wwww", 1, 1002), {});
  ASSERT_THAT(Give(later.document, awaited), IsOk());
  Receiver receiver({.sure = 5000, .of_byte = 1});
  ASSERT_THAT(receiver.waiting.Add(*deletes.document.Save()), IsOk());
  ASSERT_THAT(receiver.Take({later.By("bbbb"), later.By("cccc"), later.By("dddd")}), IsOk());
  EXPECT_EQ(receiver.waiting.size(), 3u);
  EXPECT_THAT(receiver.Take({awaited}), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_TRUE(receiver.state.was_cut());
  EXPECT_EQ(receiver.document.heads().size(), 2u);
  // The third is asked for again.
  EXPECT_EQ(receiver.waiting.size(), 0u);
  Document whole("whole");
  for (const std::string& change :
       {*deletes.document.Save(), awaited, later.By("bbbb"), later.By("cccc"), later.By("dddd")}) {
    ASSERT_THAT(Give(whole, change), IsOk());
  }
  EXPECT_EQ(receiver.waiting.MissingFor(whole.heads()).size(), 1u);
}

// A change whose checksum is wrong, of so many bytes once it is inflated.
std::string Inflating(size_t bytes) {
  std::string chunk =
      "\x85\x6f\x4a\x83"
      "none"
      "\x02";
  crdt::AppendString(chunk, wire::Deflate(std::string(bytes, 'a')));
  return chunk;
}

TEST(Hostile, AMessageOfFewBytesBecomesFewBytes) {
  // 32 bytes count as a row.
  const std::string chunk = Inflating(64000);
  Receiver receiver({.sure = 4500, .of_byte = 1});
  EXPECT_THAT(receiver.Take({chunk, chunk, Abc()}), StatusIs(StatusCode::kDataLoss));
  EXPECT_FALSE(receiver.state.was_cut());
  Receiver again({.sure = 4500, .of_byte = 1});
  EXPECT_FALSE(again.Take({chunk, chunk, chunk, Abc()}).ok());
  EXPECT_TRUE(again.state.was_cut());
  EXPECT_FALSE(again.has_text());
}

TEST(Hostile, ALongKeyCountsWithEachRowOfADocument) {
  constexpr uint64_t kRows = 1000;
  const std::string zeros = RunOf(kRows, 0);
  const std::string ones = RunOf(kRows, 1);
  std::string keys;
  crdt::AppendInt(keys, kRows);
  crdt::AppendString(keys, std::string(100000, 'k'));
  std::string booleans;
  crdt::AppendUint(booleans, kRows);
  DocumentHead head{.actors = {"a"}, .heads = {ChangeHash()}};
  head.operations = {{0x15, keys}, {0x21, zeros}, {0x23, ones}, {0x34, booleans}, {0x42, ones}};
  Receiver receiver({.sure = 100000, .of_byte = 1});
  EXPECT_THAT(receiver.Take({ChunkOf(head)}), StatusIs(StatusCode::kResourceExhausted));
}

// 9,900,000 characters in 10 KB.
TEST(Hostile, AShortMessageIsNotOfMillionsOfRows) {
  constexpr uint64_t kRows = 9900000;
  const std::string zeros = RunOf(kRows, 0);
  const std::string ones = RunOf(kRows, 1);
  const std::string text(kRows, 'a');
  std::string insert;
  crdt::AppendUint(insert, 0);
  crdt::AppendUint(insert, kRows);
  const std::string metadata = RunOf(kRows, 0x16);
  DocumentHead head{.actors = {"a"}, .heads = {ChangeHash()}};
  head.operations = {{0x01, zeros}, {0x02, ones},   {0x11, zeros}, {0x13, ones},     {0x21, zeros},
                     {0x23, ones},  {0x34, insert}, {0x42, ones},  {0x56, metadata}, {0x57, text}};
  Receiver receiver;
  EXPECT_THAT(receiver.Take({ChunkOf(head)}), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_TRUE(receiver.state.was_cut());
}

TEST(Hostile, AnExchangeEndsWhereADocumentIsTooMuchWork) {
  const std::string saved = DocumentOf("aaaa", 1000);
  Receiver one;
  ASSERT_THAT(one.waiting.Add(saved), IsOk());
  Receiver two({.sure = 500, .of_byte = 0});
  int messages = 0;
  for (bool quiet = false; !quiet && messages < 100;) {
    quiet = true;
    if (const auto message = one.state.Next()) {
      quiet = false;
      ++messages;
      two.state.Receive(*message).IgnoreError();
    }
    if (const auto message = two.state.Next()) {
      quiet = false;
      ++messages;
      ASSERT_THAT(one.state.Receive(*message), IsOk());
    }
  }
  EXPECT_LT(messages, 20);
}

TEST(WorkBudget, ComesBackWithBytesUpToWhatIsSure) {
  WorkBudget budget({.sure = 100, .of_byte = 2, .max_of_bytes = 50});
  budget.BeginMessage(10);
  EXPECT_EQ(budget.left(), 120u);
  EXPECT_THAT(budget.Take(110), IsOk());
  budget.BeginMessage(10);
  EXPECT_EQ(budget.left(), 30u);
  EXPECT_THAT(budget.Take(31), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(budget.left(), 0u);
  EXPECT_TRUE(budget.has_ended());
  budget.BeginMessage(20);
  EXPECT_FALSE(budget.has_ended());
  EXPECT_EQ(budget.left(), 40u);
  budget.AddBytes(20);
  EXPECT_EQ(budget.left(), 50u);
  budget.BeginMessage(1000);
  EXPECT_EQ(budget.left(), 100u);
  budget.BeginMessage(0);
  budget.BeginMessage(1000);
  EXPECT_EQ(budget.left(), 150u);
}

// Somebody takes away a whole text of 2 million characters.
TEST(WorkBudget, AllowsWhatPeopleDo) {
  WorkBudget budget;
  budget.BeginMessage(150);
  EXPECT_GE(budget.left(), 2u * 2000000);
  // A history of keys: npm's changes of one have about 100 bytes.
  for (int i = 0; i < 1000; ++i) {
    budget.BeginMessage(100);
    EXPECT_THAT(budget.Take(2 + 100 / kBytesOfWork), IsOk());
  }
  EXPECT_GE(budget.left(), 5000000u);
}

}  // namespace
}  // namespace cursorwire::automerge
