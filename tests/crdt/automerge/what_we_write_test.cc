// What we write is read again: as a file, and by others.
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/document_codec.h"
#include "crdt/automerge/saved_document.h"
#include "crdt/automerge/waiting_changes.h"
#include "cursorwire/crdt/text_document.h"
#include "support/status_matchers.h"

namespace cursorwire::automerge {
namespace {

using absl::StatusCode;
using crdt::Unit;
using test::IsOk;
using test::StatusIs;

std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// A text of one change.
void WriteText(Document& document, std::string_view text) {
  if (!document.Get("content")) {
    ASSERT_THAT(document.MakeText("content"), IsOk());
  }
  const OpId object = document.Get("content")->id;
  const uint32_t size = document.FindSequence(object)->size().code_points;
  ASSERT_THAT(document.Splice(object, Unit::kCodePoints, 0, size, text), IsOk());
  ASSERT_TRUE(document.Commit(1));
}

std::string TextIn(const Document& document) {
  const auto value = document.Get("content");
  return value ? document.FindSequence(value->id)->Text() : "none";
}

std::string AllChanges(const Document& document) {
  std::string chunks;
  for (uint32_t i = 0; i < document.changes().size(); ++i) chunks += document.ChunkOf(i);
  return chunks;
}

bool BeginsWithDocument(std::string_view file) { return file.size() > 8 && file[8] == '\0'; }

// As a file that is opened and edited, as a document that comes in an exchange, and as changes.
void ExpectIsRead(const Document& document, const DocumentLimits& limits = {}) {
  const absl::StatusOr<std::string> file = document.Save();
  ASSERT_THAT(file, IsOk());
  Document loaded("loads", limits);
  WaitingChanges of_loaded(loaded, limits);
  ASSERT_THAT(LoadSaved(*file, loaded, of_loaded), IsOk());
  EXPECT_EQ(TextIn(loaded), TextIn(document));
  ASSERT_THAT(loaded.NeedHistory(), IsOk());
  EXPECT_EQ(loaded.heads(), document.heads());
  EXPECT_EQ(TextIn(loaded), TextIn(document));
  for (const std::string& bytes : {*file, AllChanges(document)}) {
    Document peer("peer", limits);
    WaitingChanges of_peer(peer, limits);
    ASSERT_THAT(of_peer.Add(bytes), IsOk());
    EXPECT_EQ(of_peer.size(), 0u);
    EXPECT_EQ(peer.heads(), document.heads());
    EXPECT_EQ(TextIn(peer), TextIn(document));
  }
}

TEST(WhatWeWrite, ATextOfOneLineOverAndOverIsRead) {
  Document document("writer");
  WriteText(document, Repeated("0,0,0,0\n", 17000));
  const std::string file = *document.Save();
  EXPECT_LT(file.size(), 3000u);
  EXPECT_TRUE(BeginsWithDocument(file));
  ExpectIsRead(document);
}

TEST(WhatWeWrite, WhatDeflatesAsMuchAsCanBeIsRead) {
  Document document("writer");
  WriteText(document, std::string(600000, 'a'));
  const std::string file = *document.Save();
  EXPECT_LT(file.size(), 1200u);
  Document loaded("loads");
  WaitingChanges waiting(loaded);
  ASSERT_THAT(LoadSaved(file, loaded, waiting), IsOk());
  EXPECT_EQ(TextIn(loaded).size(), 600000u);
  ASSERT_THAT(loaded.NeedHistory(), IsOk());
  EXPECT_EQ(loaded.heads(), document.heads());
}

TEST(WhatWeWrite, ATextThatIsReplacedAgainAndAgainIsRead) {
  Document document("writer");
  for (int i = 0; i < 25; ++i) WriteText(document, Repeated(absl::StrCat("line ", i, "\n"), 600));
  EXPECT_TRUE(BeginsWithDocument(*document.Save()));
  ExpectIsRead(document);
}

// One chunk with a change of no operations.
std::string EmptyChange(const ChangeHead& head) {
  ChangeWriter writer;
  std::string scratch;
  Sha256Hasher hasher;
  const std::string_view body = writer.Write(head);
  return ChangeChunk(body, HashOfChange(body, scratch, hasher));
}

TEST(WhatWeWrite, ManyChangesWithoutOperationsAreRead) {
  Document document("writer");
  WaitingChanges waiting(document);
  for (uint64_t seq = 1; seq <= 5000; ++seq) {
    ChangeHead head{.actor = "aaaa", .seq = seq};
    head.deps.assign(document.heads().begin(), document.heads().end());
    ASSERT_THAT(waiting.Add(EmptyChange(head)), IsOk());
  }
  EXPECT_LT(document.Save()->size(), 300u);
  ExpectIsRead(document);
}

TEST(WhatWeWrite, WhatADocumentMayNotHaveIsSavedAsChanges) {
  const DocumentLimits few{.max_ops = 40};
  Document document("writer", few);
  // 20 characters in, out, and in: with the make, 100 rows would be too many.
  WriteText(document, "0123456789abcde");
  EXPECT_TRUE(BeginsWithDocument(*document.Save()));
  const DocumentLimits short_chunks{.chunk = {.max_body_bytes = 150}};
  Document many("writer", short_chunks);
  for (int i = 0; i < 20; ++i) WriteText(many, "x");
  EXPECT_FALSE(BeginsWithDocument(*many.Save()));
  ExpectIsRead(many, short_chunks);
}

TEST(WhatWeWrite, RowsOfADocumentThatTakeNoBytesAreBounded) {
  const HistoryLimits limits;
  EXPECT_THAT(CheckCounts({.rows = 10000000}, 0, limits), IsOk());
  EXPECT_THAT(CheckCounts({.rows = 10000001}, 0, limits), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(CheckCounts({.rows = 10000001}, 1, limits), IsOk());
  EXPECT_THAT(CheckCounts({.rows = 100000001}, 100000000, limits),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(CheckCounts({.others = 100001}, 0, limits), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(CheckCounts({.others = 100001}, 1, limits), IsOk());
  EXPECT_THAT(CheckCounts({.changes = 200001}, 1000, limits),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(CheckCounts({.rows = 1, .changes = 200001}, 1000, limits), IsOk());
  EXPECT_THAT(CheckCounts({.deps = 300001}, 0, limits), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(CheckCounts({.changes = 1, .deps = 300001}, 0, limits), IsOk());
  EXPECT_THAT(CheckCounts({.extra_bytes = kMaxExtraBytes + 1}, 1 << 20, limits),
              StatusIs(StatusCode::kResourceExhausted));
}

// --- edits of our own

TEST(OwnEdits, AreAsManyChangesAsTheLimitsOfOneAskFor) {
  const DocumentLimits limits{.change = {.max_rows = 10}};
  Document document("writer", limits);
  WriteText(document, "0123456789abcdefghijklmno");
  EXPECT_EQ(document.changes().size(), 3u) << "26 operations";
  ExpectIsRead(document, limits);
  WriteText(document, "new");
  EXPECT_EQ(document.changes().size(), 9u) << "25 that delete, each with what it deletes, and 3";
  EXPECT_EQ(TextIn(document), "new");
  EXPECT_EQ(document.heads().size(), 1u);
  EXPECT_FALSE(document.Commit(1));
  ExpectIsRead(document, limits);
}

TEST(OwnEdits, AreShortEnoughForAChunk) {
  const DocumentLimits limits{.chunk = {.max_body_bytes = 400}};
  Document document("writer", limits);
  std::string text;
  for (int i = 0; i < 400; ++i) text += absl::StrCat(i, " ");
  WriteText(document, text);
  EXPECT_GT(document.changes().size(), 3u);
  for (uint32_t i = 0; i < document.changes().size(); ++i) {
    EXPECT_LE(document.ChunkOf(i).size(), 420u);
  }
  ExpectIsRead(document, limits);
}

TEST(OwnEdits, AreOneChangeAsARule) {
  Document document("writer");
  WriteText(document, std::string(100000, 'x'));
  WriteText(document, std::string(100000, 'y'));
  EXPECT_EQ(document.changes().size(), 2u);
}

// Each of these has typed one character at the end.
std::string ManyActors(const Document& document, uint32_t count) {
  std::string chunks;
  const OpId text = document.Get("content")->id;
  std::vector<ChangeHash> deps = document.heads();
  OpWriter writer;
  ChangeWriter body;
  Sha256Hasher hasher;
  std::string scratch;
  for (uint32_t i = 0; i < count; ++i) {
    writer.Clear();
    writer.Append(
        {.object = {text.counter, 1}, .insert = true, .value = {ValueType::kString, "x"}});
    const std::string actor = absl::StrCat("actor", i);
    ChangeHead head{.actor = actor, .seq = 1, .start_op = 10 + i};
    head.deps.assign(deps.begin(), deps.end());
    head.other_actors = {"writer"};
    head.columns = writer.Finish();
    const std::string_view bytes = body.Write(head);
    deps = {HashOfChange(bytes, scratch, hasher)};
    chunks += ChangeChunk(bytes, deps[0]);
  }
  return chunks;
}

TEST(OwnEdits, OfTextOfManyActorsAreRead) {
  Document document("writer");
  WriteText(document, "-");
  WaitingChanges waiting(document);
  ASSERT_THAT(waiting.Add(ManyActors(document, 10001)), IsOk());
  ASSERT_EQ(TextIn(document).size(), 10002u);
  WriteText(document, "new");
  ExpectIsRead(document);
}

TEST(OwnEdits, MergeManyHeadsInSteps) {
  const DocumentLimits limits{.max_merged_heads = 4};
  Document document("writer", limits);
  WaitingChanges waiting(document);
  for (int i = 0; i < 21; ++i) {
    const std::string actor = absl::StrCat("actor", i);
    ASSERT_THAT(waiting.Add(EmptyChange({.actor = actor})), IsOk());
  }
  ASSERT_EQ(document.heads().size(), 21u);
  WriteText(document, "merged");
  EXPECT_EQ(document.heads().size(), 1u);
  EXPECT_EQ(document.changes().size(), 21u + 6u + 1u) << "each of 6 takes 3 heads away";
  for (uint32_t i = 0; i < document.changes().size(); ++i) {
    EXPECT_LE(document.changes().DepsOf(i).size(), 4u);
  }
  ExpectIsRead(document);
  WriteText(document, "once more");
  EXPECT_EQ(document.changes().size(), 21u + 6u + 2u);
}

TEST(OwnEdits, AreRefusedBeforeTheyChangeAnything) {
  const DocumentLimits limits{.change = {.max_rows = 5}, .max_changes = 4};
  Document document("writer", limits);
  const OpId text = *document.MakeText("content");
  ASSERT_THAT(document.Splice(text, Unit::kCodePoints, 0, 0, "abc"), IsOk());
  EXPECT_THAT(document.Splice(text, Unit::kCodePoints, 0, 0, "0123456789abcdef"),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(TextIn(document), "abc");
  ASSERT_TRUE(document.Commit(1));
  ExpectIsRead(document, limits);
}

TEST(OwnEdits, ComeFromAnActorThatMayBeOne) {
  for (const size_t size : {size_t{0}, size_t{256}, size_t{300}}) {
    const std::string actor(size, 'x');
    const auto document = TextDocument::Create({.actor = actor});
    EXPECT_THAT(document->Insert(0, "text"), StatusIs(StatusCode::kInvalidArgument));
    EXPECT_EQ(document->text(), "");
    EXPECT_FALSE(document->Commit({}));
    EXPECT_THAT(TextDocument::Load("", {.actor = actor}), StatusIs(StatusCode::kInvalidArgument));
  }
  for (const size_t size : {size_t{1}, size_t{255}}) {
    const auto document = TextDocument::Create({.actor = std::string(size, 'x')});
    ASSERT_THAT(document->Insert(0, "text"), IsOk());
    EXPECT_TRUE(document->Commit({}));
    EXPECT_THAT(TextDocument::Create({.actor = "reader"})->Apply(document->TakeChanges()), IsOk());
  }
}

// --- what others write

ChangeHead WithMessage(std::string_view actor, std::string_view message) {
  return {.actor = actor, .message = message};
}

TEST(LongMessages, AndWhatIsKeptAsItCameAreBoundedTogether) {
  Document document("reader");
  WaitingChanges waiting(document);
  const std::string message(size_t{50} << 20, ' ');
  absl::Status status;
  int taken = 0;
  for (; taken < 20 && status.ok(); ++taken) {
    const std::string actor = absl::StrCat("actor", taken);
    ChangeHead head = WithMessage(actor, message);
    if (taken % 2 == 1) std::swap(head.message, head.rest);
    status = waiting.Add(EmptyChange(head));
  }
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(taken, 6) << "250 MiB were taken, the next one was not";
  EXPECT_EQ(document.changes().size(), 5u);
  // Nothing is left of it, and others come.
  EXPECT_EQ(document.actors().size(), 6u);
  EXPECT_THAT(waiting.Add(EmptyChange(WithMessage("other", "short"))), IsOk());
}

TEST(LongMessages, MakeNoChangeLongerThanAChunk) {
  const DocumentLimits limits{.chunk = {.max_body_bytes = 1000}};
  Document document("reader", limits);
  ChangeWriter writer;
  std::string scratch;
  Sha256Hasher hasher;
  const std::string message(2000, ' ');
  const ChangeHead head = WithMessage("actor", message);
  const std::string_view body = writer.Write(head);
  Chunk chunk{.hash = HashOfChange(body, scratch, hasher), .inflated = std::string(body)};
  EXPECT_THAT(document.Apply(chunk, *ReadChange(chunk.body())),
              StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace cursorwire::automerge
