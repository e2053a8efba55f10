// What a peer may send to take memory or time, or to bring a text out of step with what was shown.
// Sizes are such that what takes the square of them does not end in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/change_log.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/document_codec.h"
#include "crdt/automerge/sequence.h"
#include "crdt/automerge/text_field.h"
#include "crdt/automerge/waiting_changes.h"
#include "cursorwire/crdt/text_document.h"
#include "support/status_matchers.h"

namespace cursorwire::automerge {
namespace {

using absl::StatusCode;
using crdt::Unit;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Made {
  std::string chunk;
  ChangeHash hash;
};

Made MakeChange(ChangeHead head, const std::vector<OpView>& ops) {
  OpWriter writer;
  for (const OpView& op : ops) writer.Append(op);
  head.columns = writer.Finish();
  ChangeWriter body;
  std::string scratch;
  Sha256Hasher hasher;
  const std::string_view bytes = body.Write(head);
  const ChangeHash hash = HashOfChange(bytes, scratch, hasher);
  return {ChangeChunk(bytes, hash), hash};
}

// Whose order is that of the numbers.
std::string ActorOf(uint32_t number) {
  std::string actor(4, '\0');
  for (size_t i = 0; i < actor.size(); ++i) actor[i] = static_cast<char>(number >> (24 - 8 * i));
  return actor;
}

const OpView kMakeContent{.map_key = "content", .action = Action::kMakeText};

OpView Put(OpId object, OpId after, std::string_view text) {
  return {.object = object, .element = after, .insert = true, .value = {ValueType::kString, text}};
}

// A document with a field for its text, to which "aaaa" adds changes one after the other. Its first
// operation is number 1.
class HostileApply : public ::testing::Test {
 protected:
  explicit HostileApply(const DocumentLimits& limits = {}) : document_("ours", limits) {}

  absl::Status Give(const std::vector<OpView>& ops, uint32_t start_op) {
    ChangeHead head{.actor = "aaaa", .seq = seq_, .start_op = start_op};
    head.deps.assign(document_.heads().begin(), document_.heads().end());
    absl::Status status = waiting_.Add(MakeChange(head, ops).chunk);
    if (status.ok()) ++seq_;
    return status;
  }
  std::vector<TextField::Change> Look() {
    std::vector<TextField::Change> changes;
    EXPECT_THAT(field_.TakeChanges(changes), IsOk());
    return changes;
  }

  Document document_;
  WaitingChanges waiting_{document_};
  TextField field_{document_, {"content"}};
  uint64_t seq_ = 1;
};

constexpr OpId kContentText{.counter = 1, .actor = 0};

// --- what a loaded document shows

// The document chunk of one that has two operations of its document the other way round.
std::string SavedWithSwapped(const Document& document, size_t one, size_t other) {
  const std::string saved = *document.Save();
  crdt::ByteReader reader(saved);
  Sha256Hasher hasher;
  const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher);
  DocumentHead head = *ReadDocument(chunk->body(), {});
  struct Row {
    OpId id;
    OpView op;
    std::vector<OpId> successors;
  };
  std::vector<Row> rows;
  OpReader operations(head.operations, head.actors.size());
  OpView op;
  while (operations.Next(op)) {
    rows.push_back({operations.id(), op, {op.predecessors.begin(), op.predecessors.end()}});
  }
  std::swap(rows.at(one), rows.at(other));
  OpWriter writer(OpWriter::Form::kDocument);
  for (const Row& row : rows) {
    writer.AppendWithoutPredecessors(row.op);
    writer.AppendPredecessors(row.successors);
    writer.AppendIds(row.id, 1);
  }
  head.operations = writer.Finish();
  return DocumentChunk(WriteDocument(head, {0}), hasher);
}

TEST_F(HostileApply, ValuesOutOfTheirOrderAreLoadedInIt) {
  const OpId x{.counter = 2, .actor = 0};
  OpView longer{.object = kContentText, .element = x, .value = {ValueType::kString, "LLLLLLLLLL"}};
  longer.predecessors = {&x, 1};
  const OpView shorter{.object = kContentText, .element = x, .value = {ValueType::kString, "s"}};
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "x"), longer, shorter}, 1), IsOk());
  const auto loaded = TextDocument::Load(SavedWithSwapped(document_, 2, 3), {.actor = "reader"});
  ASSERT_THAT(loaded, IsOk());
  TextDocument& text = **loaded;
  EXPECT_EQ(text.text(), "s");
  EXPECT_EQ(text.length(), 1u);
  ASSERT_THAT(text.Replace(7, 3, "y"), IsOk());
  EXPECT_EQ(text.text(), "sy");
  EXPECT_EQ(text.length(), 2u);
}

TEST_F(HostileApply, ATextThatBecomesAnotherByItsHistoryIsToldBeforeAnEdit) {
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "a"), Put(kContentText, {2, 0}, "b")}, 1),
              IsOk());
  const std::string saved = SavedWithSwapped(document_, 1, 2);
  const auto loaded = TextDocument::Load(saved, {.actor = "reader"});
  ASSERT_THAT(loaded, IsOk());
  TextDocument& text = **loaded;
  EXPECT_EQ(text.text(), "ba");
  ASSERT_THAT(text.Replace(0, 1, "xy"), IsOk());
  EXPECT_EQ(text.text(), "xyb");
  EXPECT_EQ(text.length(), 3u);
  const std::vector<TextEdit> edits = text.TakeEdits();
  ASSERT_THAT(edits, SizeIs(1));
  EXPECT_EQ(edits[0].deleted, 2u);
  EXPECT_EQ(edits[0].inserted, "ab");
}

TEST_F(HostileApply, AFieldFollowsTheHistory) {
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "a"), Put(kContentText, {2, 0}, "b")}, 1),
              IsOk());
  const std::string saved = SavedWithSwapped(document_, 1, 2);
  crdt::ByteReader reader(saved);
  Sha256Hasher hasher;
  const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher);
  Document document("reader");
  TextField field(document, {"content"});
  ASSERT_THAT(document.Load(std::string(chunk->body())), IsOk());
  std::vector<TextField::Change> changes;
  ASSERT_THAT(field.TakeChanges(changes), IsOk());
  EXPECT_EQ(field.Text(), "ba");
  ASSERT_THAT(document.NeedHistory(), IsOk());
  EXPECT_EQ(field.Text(), "ab") << "what an edit is about";
  changes.clear();
  ASSERT_THAT(field.Splice(Unit::kBytes, 2, 0, "c"), IsOk());
  EXPECT_EQ(field.Text(), "abc");
  ASSERT_THAT(field.TakeChanges(changes), IsOk());
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].deleted.bytes, 2u);
  EXPECT_EQ(changes[0].inserted, "ab");
  EXPECT_EQ(field.size().bytes, 3u);
}

TEST_F(HostileApply, NothingIsShownOfAnElementThatIsNotThere) {
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "\n")}, 1), IsOk());
  Look();
  EXPECT_TRUE(field_.IsLineEnd(field_.ElementAt(Unit::kBytes, 0)));
  EXPECT_FALSE(field_.IsLineEnd({.counter = 99, .actor = 0}));
  EXPECT_FALSE(field_.IsLineEnd({.counter = 2, .actor = 99}));
}

// --- operations that take no bytes

class FewFreeRuns : public HostileApply {
 protected:
  FewFreeRuns() : HostileApply({.max_free_runs = 3000}) {}
};

// A list of so many values at a key of the root.
std::vector<OpView> ListOf(uint32_t count, ValueView value, uint32_t start_op) {
  std::vector<OpView> ops{{.map_key = "grid", .action = Action::kMakeList}};
  for (uint32_t i = 0; i < count; ++i) {
    const OpId after{.counter = i == 0 ? 0 : start_op + i, .actor = 0};
    ops.push_back({.object = {start_op, 0}, .element = after, .insert = true, .value = value});
  }
  return ops;
}

// As npm's automerge writes it: A.change(d, d => { d.grid = Array(20000).fill(false) }).
TEST_F(HostileApply, AListOfOneValueIsTaken) {
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "a")}, 1), IsOk());
  uint32_t next_op = 3;
  for (const ValueView value : {ValueView{ValueType::kFalse, ""}, ValueView{ValueType::kNull, ""},
                                ValueView{ValueType::kString, ""}}) {
    const std::vector<OpView> list = ListOf(20000, value, next_op);
    ASSERT_THAT(Give(list, next_op), IsOk());
    next_op += static_cast<uint32_t>(list.size());
  }
  ASSERT_THAT(Give({Put(kContentText, {2, 0}, "b")}, next_op), IsOk());
  Look();
  EXPECT_EQ(field_.Text(), "ab");
}

TEST_F(FewFreeRuns, AllChangesTogetherAreBounded) {
  ASSERT_THAT(Give(ListOf(3000, {ValueType::kFalse, ""}, 1), 1), IsOk());
  EXPECT_THAT(Give(ListOf(3000, {ValueType::kFalse, ""}, 3002), 3002),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("take no bytes")));
  EXPECT_EQ(document_.changes().size(), 1u);
  // What is no more than any change may have is not counted, nor is what has bytes.
  ASSERT_THAT(Give(ListOf(900, {ValueType::kFalse, ""}, 3002), 3002), IsOk());
  EXPECT_THAT(Give(ListOf(5000, {ValueType::kUint, "\x01"}, 4000), 4000), IsOk());
}

TEST_F(FewFreeRuns, DeletesOfOneElementAreBounded) {
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "a")}, 1), IsOk());
  const OpId a{.counter = 2, .actor = 0};
  const OpView remove{
      .object = kContentText, .element = a, .action = Action::kDelete, .predecessors = {&a, 1}};
  EXPECT_THAT(Give(std::vector<OpView>(20000, remove), 3),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("take no bytes")));
  EXPECT_THAT(Give(std::vector<OpView>(2000, remove), 3), IsOk());
  Look();
  EXPECT_EQ(field_.Text(), "");
}

// --- time

TEST_F(HostileApply, ManyValuesOfAKeyAreOverwrittenAtOnce) {
  constexpr uint32_t kCount = 30000;
  std::vector<OpId> all;
  for (uint32_t i = 1; i <= kCount; ++i) all.push_back({.counter = i, .actor = 0});
  std::vector<OpView> ops(kCount, OpView{.map_key = "k", .value = {ValueType::kTrue, ""}});
  ops.push_back({.map_key = "k", .value = {ValueType::kFalse, ""}, .predecessors = all});
  ASSERT_THAT(Give(ops, 1), IsOk());
  ASSERT_TRUE(document_.Get("k"));
  EXPECT_EQ(document_.Get("k")->type, ValueType::kFalse);
}

TEST_F(HostileApply, ManyValuesOfAKeyAreOverwrittenOneByOne) {
  constexpr uint32_t kCount = 20000;
  std::vector<OpId> all;
  for (uint32_t i = 1; i <= kCount; ++i) all.push_back({.counter = i, .actor = 0});
  std::vector<OpView> ops(kCount, OpView{.map_key = "k", .value = {ValueType::kTrue, ""}});
  for (const OpId& id : all) {
    ops.push_back({.map_key = "k", .action = Action::kDelete, .predecessors = {&id, 1}});
  }
  ASSERT_THAT(Give(ops, 1), IsOk());
  EXPECT_FALSE(document_.Get("k"));
}

TEST_F(HostileApply, AChangeThatWaitsForManyLooksAtEachOnce) {
  constexpr uint32_t kCount = 10000;
  std::vector<Made> others;
  for (uint32_t i = 0; i < kCount; ++i) {
    const std::string actor = ActorOf(i + 1);
    others.push_back(MakeChange({.actor = actor}, {}));
  }
  std::sort(others.begin(), others.end(),
            [](const Made& a, const Made& b) { return a.hash < b.hash; });
  ChangeHead head{.actor = "last"};
  std::string all;
  for (const Made& other : others) {
    head.deps.push_back(other.hash);
    all += other.chunk;
  }
  const Made last = MakeChange(head, {});
  ASSERT_THAT(waiting_.Add(last.chunk), IsOk());
  EXPECT_EQ(waiting_.size(), 1u);
  ASSERT_THAT(waiting_.Add(all), IsOk());
  EXPECT_EQ(waiting_.size(), 0u);
  EXPECT_EQ(document_.heads(), std::vector<ChangeHash>{last.hash});
}

TEST(HostileLog, AChangeMayFollowManyHeads) {
  constexpr uint32_t kCount = 100000;
  ChangeLog log;
  std::vector<uint32_t> most;
  for (uint32_t i = 0; i < kCount; ++i) {
    ChangeHash hash{};
    for (size_t byte = 0; byte < 4; ++byte) {
      hash.bytes[byte] = static_cast<uint8_t>(i >> (24 - 8 * byte));
      // Those that the set of changes looks at.
      hash.bytes[4 + byte] = static_cast<uint8_t>((i * 2654435761U) >> (24 - 8 * byte));
    }
    log.Add(hash, {.actor = 0}, {}, {});
    if (i % 1000 != 0) most.push_back(i);
  }
  ASSERT_THAT(log.heads(), SizeIs(kCount));
  ChangeHash last{};
  last.bytes.fill(0xff);
  log.Add(last, {.actor = 0}, most, {});
  ASSERT_THAT(log.heads(), SizeIs(101));
  EXPECT_TRUE(std::is_sorted(log.heads().begin(), log.heads().end()));
  EXPECT_EQ(log.heads().back(), last);
  EXPECT_EQ(log.heads()[1], log.hash(1000));
}

TEST_F(HostileApply, ALargeValueIsNotReadForEachOperationBesideIt) {
  std::string large(2 * 1024 * 1024, 'v');
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "x"), Put(kContentText, {}, large)}, 1),
              IsOk());
  Look();
  const OpId x{.counter = 2, .actor = 0};
  const OpId v{.counter = 3, .actor = 0};
  std::vector<OpView> ops(
      20000,
      {.object = kContentText, .element = x, .action = Action::kDelete, .predecessors = {&x, 1}});
  ASSERT_THAT(Give(ops, 4), IsOk());
  EXPECT_THAT(Look(), SizeIs(1)) << "it is gone but once";
  // Those that are never shown, beside it in its element, and beside that.
  ASSERT_THAT(
      Give({{.object = kContentText, .element = v, .value = {ValueType::kString, large}}}, 30000),
      IsOk());
  Look();
  ops.assign(
      20000,
      {.object = kContentText, .element = v, .action = Action::kDelete, .predecessors = {&v, 1}});
  ASSERT_THAT(Give(ops, 40000), IsOk());
  EXPECT_THAT(Look(), IsEmpty());
  EXPECT_EQ(field_.Text(), large);
}

TEST_F(HostileApply, WhatIsHiddenAlreadyIsNotTold) {
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "several")}, 1), IsOk());
  Look();
  const OpId element{.counter = 2, .actor = 0};
  const OpView remove{.object = kContentText,
                      .element = element,
                      .action = Action::kDelete,
                      .predecessors = {&element, 1}};
  ASSERT_THAT(Give({remove}, 3), IsOk());
  EXPECT_THAT(Look(), SizeIs(1));
  ASSERT_THAT(Give({remove}, 4), IsOk());
  EXPECT_THAT(Look(), IsEmpty());
}

TEST_F(HostileApply, DepsOfADocumentAreBounded) {
  constexpr uint32_t kCount = 1200;
  DocumentHead head{.actors = {"a"}};
  ChangeRowWriter rows;
  OpWriter operations(OpWriter::Form::kDocument);
  std::vector<uint32_t> deps;
  for (uint32_t i = 0; i < kCount; ++i) {
    ChangeRow row{.seq = i + 1, .max_op = i + 1};
    row.deps = deps;
    rows.Append(row);
    deps.push_back(i);
    operations.AppendWithoutPredecessors({.map_key = "k"});
    operations.AppendNoPredecessors(1);
    operations.AppendIds({.counter = i + 1, .actor = 0}, 1);
  }
  head.changes = rows.Finish();
  head.operations = operations.Finish();
  const std::string body = WriteDocument(head, {});
  EXPECT_LT(body.size(), 20000u);
  EXPECT_THAT(document_.ApplyDocument(body),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("deps")));
}

TEST_F(HostileApply, ManyValuesOfAnElementComeInAnyOrder) {
  constexpr uint32_t kCount = 20000;
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "x")}, 1), IsOk());
  Look();
  const std::vector<OpView> ops(
      kCount, OpView{.object = {1, 1}, .element = {2, 1}, .value = {ValueType::kString, "v"}});
  ChangeHead head{.actor = "bbbb", .start_op = 1000000};
  head.deps = {document_.heads()[0]};
  head.other_actors = {"aaaa"};
  ASSERT_THAT(waiting_.Add(MakeChange(head, ops).chunk), IsOk());
  EXPECT_THAT(Look(), SizeIs(kCount));
  head.actor = "cccc";
  head.start_op = 3;
  ASSERT_THAT(waiting_.Add(MakeChange(head, ops).chunk), IsOk());
  EXPECT_THAT(Look(), IsEmpty()) << "they are less than what is shown";
  EXPECT_EQ(field_.Text(), "v");
}

TEST(HostileSequence, ManyActorsInsertAtOnePlaceTheGreatestFirst) {
  constexpr uint32_t kCount = 30000;
  ActorTable actors;
  Sequence sequence(actors);
  for (uint32_t i = kCount; i > 0; --i) {
    const uint32_t actor = actors.IndexOf(ActorOf(i));
    actors.text(actor) = i % 2 == 0 ? "a" : "b";
    sequence.InsertText({.counter = 2, .actor = actor}, {}, 0, actors.text(actor));
  }
  const std::string text = sequence.Text();
  ASSERT_THAT(text, SizeIs(kCount));
  EXPECT_EQ(text.substr(0, 6), "ababab");
  EXPECT_EQ(sequence.PositionOf({.counter = 2, .actor = kCount - 1})->bytes, kCount - 1);
  // And one in the middle of them.
  const uint32_t middle = actors.IndexOf(ActorOf(kCount / 2) + "x");
  actors.text(middle) = "M";
  sequence.InsertText({.counter = 2, .actor = middle}, {}, 0, "M");
  EXPECT_EQ(sequence.PositionOf({.counter = 2, .actor = middle})->bytes, kCount / 2);
}

// --- elements of several characters

TEST_F(HostileApply, WhatIsInsertedWithinAnElementIsThere) {
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "h\xf0\x9f\x98\x80llo")}, 1), IsOk());
  Look();
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 2, 0, "X"), IsOk());
  EXPECT_EQ(field_.Text(), "h\xf0\x9f\x98\x80Xllo");
  EXPECT_EQ(field_.size(), crdt::Measure(field_.Text()));
  EXPECT_TRUE(field_.Commit(1));
}

TEST_F(HostileApply, APlaceWithinACharacterCountsAsAfterIt) {
  ASSERT_THAT(Give({kMakeContent, Put(kContentText, {}, "h\xf0\x9f\x98\x80o")}, 1), IsOk());
  Look();
  ASSERT_THAT(field_.Splice(Unit::kUtf16, 2, 0, "X"), IsOk());
  EXPECT_EQ(field_.Text(), "h\xf0\x9f\x98\x80Xo");
  ASSERT_THAT(field_.Splice(Unit::kBytes, 7, 0, "Y"), IsOk());
  EXPECT_EQ(field_.Text(), "h\xf0\x9f\x98\x80XoY");
  ASSERT_THAT(field_.Splice(Unit::kBytes, 3, 0, "Z"), IsOk());
  EXPECT_EQ(field_.Text(), "h\xf0\x9f\x98\x80ZXoY");
}

}  // namespace
}  // namespace cursorwire::automerge
